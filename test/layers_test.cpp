// The direction of dependencies, checked: docs/layers.txt says which layer may include which, and
// every #include under include/tenon and lib is held to it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

using Layers = std::map<std::string, std::set<std::string>, std::less<>>;

// Reads lines "layer: may may may"; a row may name only layers that stand above it in the file, so
// that the layers have an order. A mistake in the table ends up in `problems`.
Layers read_layers(const fs::path& file, std::vector<std::string>& problems) {
  Layers layers;
  std::ifstream in(file);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const size_t colon = line.find(':');
    if (line.starts_with('#') || colon == std::string::npos) continue;
    std::set<std::string> allowed;
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;) {
      if (!layers.contains(word)) {
        problems.push_back(file.filename().string() + ":" + std::to_string(number) + ": " + word +
                           " does not stand above this line");
      }
      allowed.insert(word);
    }
    layers[line.substr(0, colon)] = allowed;
  }
  if (layers.empty()) problems.push_back(file.string() + ": no layers");
  return layers;
}

struct Include {
  std::string path;
  bool angled;
};

// The target of an #include line, or nothing.
std::optional<Include> include_of(std::string_view line) {
  auto skip_blanks = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_blanks();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(7);
  skip_blanks();
  if (!line.starts_with('"') && !line.starts_with('<')) return std::nullopt;
  const bool angled = line.front() == '<';
  line.remove_prefix(1);
  return Include{std::string(line.substr(0, line.find(angled ? '>' : '"'))), angled};
}

// What is wrong with an include in a file of `layer`; empty if nothing.
std::string objection(const Layers& layers, const std::string& layer, bool is_public,
                      const Include& include) {
  std::vector<std::string> parts;
  std::istringstream in(include.path);
  for (std::string part; std::getline(in, part, '/');) parts.push_back(part);

  if (parts.size() > 1 && (parts[0] == "llvm" || parts[0] == "llvm-c")) {
    return layer == "codegen" && !is_public ? "" : "only lib/codegen may include LLVM";
  }
  if (parts.size() > 2 && parts[0] == "tenon") {
    if (!layers.contains(parts[1])) return parts[1] + " is not a layer";
    if (parts[1] == layer || layers.at(layer).contains(parts[1])) return "";
    return layer + " may not include " + parts[1];
  }
  if (parts.size() > 1 && layers.contains(parts[0])) {
    if (is_public) return "a public header may not include a private one";
    return parts[0] == layer ? "" : "the private headers of " + parts[0] + " are its own";
  }
  if (!is_public) return "";
  if (!include.angled && parts[0] != "absl") return "a public header includes by \"tenon/...\"";
  static const std::set<std::string> c_headers = {"stdbool.h", "stddef.h", "stdint.h"};
  const bool standard =
      parts.size() == 1 && (!parts[0].ends_with(".h") || c_headers.contains(parts[0]));
  const bool absl = include.path.starts_with("absl/status/") ||
                    include.path == "absl/types/span.h" ||
                    include.path == "absl/strings/string_view.h";
  return standard || absl ? "" : "not allowed in a public header";
}

// Checks one folder of layers (include/tenon or lib) and adds "file:line: include: objection".
void check_folder(const fs::path& root, const fs::path& folder, bool is_public,
                  const Layers& layers, std::vector<std::string>& problems) {
  if (!fs::exists(root / folder)) return;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cpp") continue;
    const fs::path relative = entry.path().lexically_relative(root / folder);
    if (std::distance(relative.begin(), relative.end()) < 2) continue;  // tenon.h includes all
    const std::string layer = relative.begin()->string();
    const std::string name = (folder / relative).string();
    if (!layers.contains(layer)) {
      problems.push_back(name + ":1: " + layer + " is not a layer");
      continue;
    }
    std::ifstream in(entry.path());
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      const std::optional<Include> include = include_of(line);
      if (!include) continue;
      const std::string reason = objection(layers, layer, is_public, *include);
      if (reason.empty()) continue;
      problems.push_back(name + ":" + std::to_string(number) + ": " + include->path + ": " +
                         reason);
    }
  }
}

std::vector<std::string> check_tree(const fs::path& root) {
  std::vector<std::string> problems;
  const Layers layers = read_layers(root / "docs/layers.txt", problems);
  check_folder(root, "include/tenon", true, layers, problems);
  check_folder(root, "lib", false, layers, problems);
  std::sort(problems.begin(), problems.end());
  return problems;
}

// A small tree in a temporary folder.
class Tree {
 public:
  Tree() {
    std::string name = (fs::temp_directory_path() / "layers_test.XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
    write("docs/layers.txt", "# comment\nbase:\nir: base\ncodegen: base ir\n");
  }
  ~Tree() { fs::remove_all(root_); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  void write(const fs::path& file, std::string_view text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  std::vector<std::string> check() const { return check_tree(root_); }

 private:
  fs::path root_;
};

using Problems = std::vector<std::string>;

}  // namespace

TEST_CASE("every include follows docs/layers.txt") {
  for (const std::string& problem : check_tree(TENON_SOURCE_DIR)) FAIL_CHECK(problem);
}

TEST_CASE("the check lets pass what is allowed") {
  Tree tree;
  tree.write("include/tenon/ir/a.h",
             "#include <vector>\n#include <stdint.h>\n#include \"tenon/base/b.h\"\n#include "
             "\"tenon/ir/c.h\"\n"
             "#include \"absl/status/statusor.h\"\n#include \"absl/types/span.h\"\n");
  tree.write("lib/ir/a.cpp",
             "#include \"tenon/ir/a.h\"\n#include \"ir/private.h\"\n#include <sys/mman.h>\n"
             "#include \"absl/strings/str_cat.h\"\n");
  tree.write("lib/codegen/a.cpp", "#include <llvm/IR/Module.h>\n#include \"tenon/ir/a.h\"\n");
  tree.write("include/tenon/tenon.h", "#include \"tenon/codegen/a.h\"\n");
  CHECK(tree.check() == Problems{});
}

TEST_CASE("the check names file and line of what is not allowed") {
  Tree tree;
  SECTION("a lower layer includes an upper one") {
    tree.write("lib/base/a.cpp", "// text\n#include \"tenon/ir/a.h\"\n");
    CHECK(tree.check() == Problems{"lib/base/a.cpp:2: tenon/ir/a.h: base may not include ir"});
  }
  SECTION("spacing does not hide an include") {
    tree.write("lib/base/a.cpp", "  #  include <tenon/ir/a.h>\n");
    CHECK(tree.check() == Problems{"lib/base/a.cpp:1: tenon/ir/a.h: base may not include ir"});
  }
  SECTION("the private header of another layer") {
    tree.write("lib/ir/a.cpp", "#include \"base/a.h\"\n");
    CHECK(tree.check() ==
          Problems{"lib/ir/a.cpp:1: base/a.h: the private headers of base are its own"});
  }
  SECTION("LLVM outside lib/codegen") {
    tree.write("lib/ir/a.cpp", "#include \"llvm/IR/Module.h\"\n");
    tree.write("include/tenon/codegen/a.h", "#include <llvm/IR/Module.h>\n");
    CHECK(
        tree.check() ==
        Problems{"include/tenon/codegen/a.h:1: llvm/IR/Module.h: only lib/codegen may include LLVM",
                 "lib/ir/a.cpp:1: llvm/IR/Module.h: only lib/codegen may include LLVM"});
  }
  SECTION("a public header includes more than it may") {
    tree.write("include/tenon/ir/a.h",
               "#include \"ir/private.h\"\n#include \"absl/strings/str_cat.h\"\n"
               "#include <Eigen/Core>\n#include <sys/mman.h>\n#include \"local.h\"\n");
    CHECK(tree.check() ==
          Problems{
              "include/tenon/ir/a.h:1: ir/private.h: a public header may not include a private one",
              "include/tenon/ir/a.h:2: absl/strings/str_cat.h: not allowed in a public header",
              "include/tenon/ir/a.h:3: Eigen/Core: not allowed in a public header",
              "include/tenon/ir/a.h:4: sys/mman.h: not allowed in a public header",
              "include/tenon/ir/a.h:5: local.h: a public header includes by \"tenon/...\""});
  }
  SECTION("a folder that is no layer") {
    tree.write("lib/extra/a.cpp", "");
    tree.write("lib/ir/a.cpp", "#include \"tenon/extra/a.h\"\n");
    CHECK(tree.check() == Problems{"lib/extra/a.cpp:1: extra is not a layer",
                                   "lib/ir/a.cpp:1: tenon/extra/a.h: extra is not a layer"});
  }
  SECTION("a row that points upwards") {
    tree.write("docs/layers.txt", "base: ir\nir: base\n");
    CHECK(tree.check() == Problems{"layers.txt:1: ir does not stand above this line"});
  }
}
