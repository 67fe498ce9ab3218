// Is there a sentence with which the library refuses something that has no golden file? The string
// literals of the sources that look like parts of a sentence are looked up in all of them.
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

// They print what is right (explanations of kernels, meanings of instructions), or speak of
// mistakes of Tenon's own (the forms between passes).
const std::set<std::string> kNoRefusals = {"jit/explain.cpp", "lower/instruction_call.cpp",
                                           "lower/verify_form.cpp", "target/instructions_x86.cpp"};

// Parts that are in no golden file, and why.
struct Unseen {
  const char* source;
  const char* part;
  const char* why;
};
const Unseen kUnseen[] = {
    {"analysis/legality_reverse_inline.cpp", " do not stand where ",
     "what uses a stage stands behind its declaration"},
    {"dsl/recipe_graph.cpp", ": no order of its tensors", "a cycle is named before"},
    {"interp/interp.cpp", "a reduction inside an expression of a finished program",
     "verify has asked"},
    {"interp/interp.cpp", " is not declared here", "verify has asked"},
    {"ir/parse.cpp", "the name of an instruction", "without a name, the word is one itself"},
    {"ir/parse.cpp", "a name for the buffer", "without a name, the word before it is one itself"},
    {"ir/parse.cpp", "a name for the value", "without a name, the word before it is one itself"},
    {"jit/call_shape.cpp", ": its sizes cannot be read off these arguments",
     "the check of the arguments says why"},
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

// All golden messages, in one text.
std::string golden_messages() {
  std::string all;
  const fs::path folder = kSource / "test" / "golden" / "messages";
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) all += text_of(entry.path()) + "\n";
  }
  return plain(all);
}

// As in "schedule/split.cpp".
std::vector<std::string> sources_of(const std::string& layer) {
  std::vector<std::string> sources;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "lib" / layer)) {
    const std::string kind = entry.path().extension();
    const std::string source = layer + "/" + entry.path().filename().string();
    if ((kind == ".cpp" || kind == ".h") && !kNoRefusals.count(source)) sources.push_back(source);
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

TEST_CASE("Every sentence of a refusal has a golden file") {
  const std::string golden = golden_messages();
  std::set<const Unseen*> needed;
  size_t parts = 0;
  for (const char* layer : kLayers) {
    for (const std::string& source : sources_of(layer)) {
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
  std::printf("messages: %zu parts of sentences, %zu of them in no golden file\n", parts,
              std::size(kUnseen));
  CHECK(parts >= 1000);
}

}  // namespace
}  // namespace tenon::test
