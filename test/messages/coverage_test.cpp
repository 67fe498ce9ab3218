// Is there a sentence with which the library refuses something that no test has seen? The string
// literals of the sources that look like parts of a sentence are looked up in the golden files and
// in the expected texts of all tests.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace tenon::test {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = TENON_SOURCE_DIR;

// The layers in which users are refused something. (What code generation says is a mistake of
// Tenon's own.)
const char* const kLayers[] = {"analysis", "dsl",     "interp",   "ir",    "jit",
                               "lower",    "runtime", "schedule", "target"};

// They print what is right: explanations of kernels, and the meanings of instructions.
const std::set<std::string> kNoRefusals = {"jit/explain.cpp", "target/instructions_x86.cpp"};

// Parts that no test can see, and why.
struct Exception {
  const char* part;
  const char* why;
};
const Exception kExceptions[] = {
    // A name stands there: the reader has looked already.
    {"the name of an instruction", "the word before it is a name elsewhere"},
    {"a name for the buffer", "the word before it is a name elsewhere"},
    {"a name for the value", "the word before it is a name elsewhere"},
    // Asked twice, so that each function stands on its own.
    {" do not stand where ", "what writes a stage stands where it is declared"},
    // Mistakes of Tenon itself.
    {": no order of its tensors", "a cycle is named before"},
    {"a reduction inside an expression of a finished program", "verify has asked"},
    {" is not declared here", "verify has asked"},
    {": its sizes cannot be read off these arguments", "the check of the arguments says why"},
    {"a part that it gives to a function has no strides", "of a pass of lowering"},
    {"it reduces by functions", "of a pass of lowering"},
};

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Literals that stand next to each other are one; comments, characters and includes are none.
std::vector<std::string> literals_of(const std::string& source) {
  std::vector<std::string> found;
  bool continues = false;
  const auto skip_to = [&](size_t& at, std::string_view end) {
    const size_t next = source.find(end, at);
    at = next == std::string::npos ? source.size() : next + end.size();
  };
  for (size_t at = 0; at < source.size();) {
    if (source.compare(at, 2, "//") == 0 || source[at] == '#') {
      skip_to(at, "\n");
    } else if (source.compare(at, 2, "/*") == 0) {
      skip_to(at, "*/");
    } else if (source.compare(at, 3, "R\"(") == 0) {
      skip_to(at, ")\"");
      continues = false;
    } else if (source[at] == '\'' && at > 0 && !std::isdigit(source[at - 1])) {
      for (++at; at < source.size() && source[at] != '\''; ++at) at += source[at] == '\\';
      ++at, continues = false;
    } else if (source[at] == '"') {
      std::string text;
      for (++at; at < source.size() && source[at] != '"'; ++at) {
        const bool is_escape = source[at] == '\\';
        at += is_escape;
        text += is_escape && source[at] == 'n' ? ' ' : source[at];
      }
      ++at;
      if (continues) {
        found.back() += text;
      } else {
        found.push_back(text);
      }
      continues = true;
    } else {
      continues = continues && std::isspace(source[at]);
      ++at;
    }
  }
  return found;
}

// White space is one blank, and none at the ends.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool is_blank = std::isspace(static_cast<unsigned char>(c));
    if (!is_blank) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

// Three words of at least two letters, and no text of a Program.
bool is_part_of_a_sentence(const std::string& text) {
  if (text.find('\n') != std::string::npos || text.find("program ") == 0) return false;
  int words = 0, letters = 0;
  for (const char c : text + " ") {
    const bool is_letter = std::isalpha(static_cast<unsigned char>(c));
    letters = is_letter ? letters + 1 : 0;
    words += letters == 2;
  }
  return words >= 3 && std::count(text.begin(), text.end(), ' ') >= 2;
}

void add_sources(const fs::path& folder, std::vector<fs::path>& files) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string kind = entry.path().extension();
    if (kind == ".cpp" || kind == ".h") files.push_back(entry.path());
  }
}

// All that tests expect, in one text.
std::string expected_texts() {
  std::string all;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "test" / "golden")) {
    if (entry.is_regular_file()) all += text_of(entry.path()) + "\n";
  }
  std::vector<fs::path> tests;
  add_sources(kSource / "test", tests);
  for (const fs::path& test : tests) {
    if (test.filename() == "coverage_test.cpp") continue;
    for (const std::string& literal : literals_of(text_of(test))) all += literal + "\n";
  }
  for (const auto& entry : fs::directory_iterator(kSource / "docs")) {
    if (entry.path().extension() == ".md") all += text_of(entry.path()) + "\n";
  }
  return plain(all);
}

TEST_CASE("Every part of a sentence of a refusal is in a golden file or in the text of a test") {
  const std::string expected = expected_texts();
  std::set<std::string> excepted;
  size_t parts = 0, missing = 0;
  for (const char* layer : kLayers) {
    std::vector<fs::path> sources;
    add_sources(kSource / "lib" / layer, sources);
    std::sort(sources.begin(), sources.end());
    for (const fs::path& source : sources) {
      if (kNoRefusals.count(layer + ("/" + source.filename().string()))) continue;
      for (const std::string& literal : literals_of(text_of(source))) {
        if (!is_part_of_a_sentence(literal)) continue;
        ++parts;
        if (expected.find(plain(literal)) != std::string::npos) continue;
        const auto known =
            std::find_if(std::begin(kExceptions), std::end(kExceptions),
                         [&](const Exception& e) { return plain(e.part) == plain(literal); });
        if (known != std::end(kExceptions)) {
          excepted.insert(known->part);
          continue;
        }
        UNSCOPED_INFO(source.filename() << ": " << literal);
        ++missing;
      }
    }
  }
  CHECK(missing == 0);
  // An exception that is one no longer goes.
  for (const Exception& e : kExceptions) {
    INFO(e.part);
    CHECK(excepted.count(e.part) == 1);
  }
  std::printf("messages: %zu parts of sentences, %zu of them shown by no test\n", parts,
              std::size(kExceptions));
  CHECK(parts >= 1000);
}

// --- What a schedule, an analysis and the reader of text say is all in golden files.

// The sources: those of a folder of lib whose names start so.
struct Sources {
  const char* folder;
  std::vector<std::string> starts;
};
const Sources kWithGoldenFiles[] = {
    {"schedule", {""}},
    {"analysis", {""}},
    {"ir", {"pars", "lexer", "grammar"}},
};

// Parts that are in no golden file, and why.
struct Unseen {
  const char* source;
  const char* part;
  const char* why;
};
const Unseen kUnseen[] = {
    {"analysis/legality_reverse_inline.cpp", " do not stand where ",
     "what uses a stage stands behind its declaration"},
    {"ir/parse.cpp", "the name of an instruction",
     "a loop has one mark; without a name, it is one itself"},
    {"ir/parse.cpp", "a name for the buffer", "without a name, the word before it is one itself"},
    {"ir/parse.cpp", "a name for the value", "without a name, the word before it is one itself"},
};

// As in "schedule/split.cpp".
std::vector<std::string> files_of(const Sources& sources) {
  std::vector<fs::path> paths;
  add_sources(kSource / "lib" / sources.folder, paths);
  std::vector<std::string> files;
  for (const fs::path& path : paths) {
    const std::string file = path.filename();
    if (std::any_of(sources.starts.begin(), sources.starts.end(),
                    [&](const std::string& start) { return file.find(start) == 0; })) {
      files.push_back(std::string(sources.folder) + "/" + file);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string golden_messages() {
  std::string all;
  const fs::path folder = kSource / "test" / "golden" / "messages";
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) all += text_of(entry.path()) + "\n";
  }
  return plain(all);
}

TEST_CASE("Every sentence of a refusal has a golden file") {
  const std::string golden = golden_messages();
  std::set<const Unseen*> needed;
  size_t parts = 0;
  for (const Sources& sources : kWithGoldenFiles) {
    for (const std::string& source : files_of(sources)) {
      for (const std::string& part : literals_of(text_of(kSource / "lib" / source))) {
        if (!is_part_of_a_sentence(part)) continue;
        ++parts;
        if (golden.find(plain(part)) != std::string::npos) continue;
        const auto* known = std::find_if(
            std::begin(kUnseen), std::end(kUnseen),
            [&](const Unseen& u) { return u.source == source && plain(u.part) == plain(part); });
        INFO(source << ": " << part);
        const bool is_excepted = known != std::end(kUnseen);
        CHECK(is_excepted);
        needed.insert(known);
      }
    }
  }
  for (const Unseen& u : kUnseen) {
    INFO(u.source << ": " << u.part << " is in a golden file now, or in no source any more");
    CHECK(needed.count(&u) == 1);
  }
  CHECK(parts >= 600);
}

}  // namespace
}  // namespace tenon::test
