// Keeps documents true: their code blocks are compiled and run, their text blocks are what they
// print.
//
//   doc_blocks code tour.md tour.cpp       the ```cpp blocks as one program
//   doc_blocks check tour.md output.txt    does each ```text block show what its code prints?
//   doc_blocks update tour.md output.txt   writes it there
//
// Blocks stand in the body of one main, in order; a block that has a main of its own is the whole
// program. Places in messages are those of the document.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

// Printed after each code block, so that outputs find their blocks.
constexpr char kEnd[] = "--- end of block ---";

struct Block {
  bool code = false;  // ```cpp, else ```text
  size_t first = 0;   // line of the opening fence, counted from 1
  std::vector<std::string> lines;
};

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    std::cerr << "cannot read " << path << "\n";
    std::exit(2);
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<Block> blocks_of(const std::vector<std::string>& lines) {
  std::vector<Block> blocks;
  bool inside = false, wanted = false;
  for (size_t n = 0; n < lines.size(); ++n) {
    if (lines[n].rfind("```", 0) == 0) {
      inside = !inside;
      wanted = inside && (lines[n] == "```cpp" || lines[n] == "```text");
      if (wanted) blocks.push_back({lines[n] == "```cpp", n + 1, {}});
    } else if (inside && wanted) {
      blocks.back().lines.push_back(lines[n]);
    }
  }
  return blocks;
}

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

bool has_main(const Block& block) {
  for (const std::string& line : block.lines) {
    if (line.rfind("int main(", 0) == 0) return true;
  }
  return false;
}

void put(std::ostream& out, const Block& block, const std::string& name) {
  out << "#line " << block.first + 1 << " \"" << name << "\"\n";
  for (const std::string& line : block.lines) out << line << "\n";
}

// The blocks that matter: a whole program with what it prints, or all of them.
std::vector<Block> used_blocks(const std::vector<std::string>& lines) {
  const std::vector<Block> blocks = blocks_of(lines);
  for (size_t b = 0; b < blocks.size(); ++b) {
    if (!blocks[b].code || !has_main(blocks[b])) continue;
    const bool shown = b + 1 < blocks.size() && !blocks[b + 1].code;
    const auto first = blocks.begin() + static_cast<std::ptrdiff_t>(b);
    return std::vector<Block>(first, first + (shown ? 2 : 1));
  }
  return blocks;
}

int write_code(const std::string& document, const std::string& path) {
  const std::vector<Block> blocks = used_blocks(read_lines(document));
  std::ofstream out(path);
  if (!blocks.empty() && has_main(blocks[0])) {
    put(out, blocks[0], base_name(document));
    return 0;
  }
  out << "#include <iostream>\n#include <vector>\n\n#include \"tenon/tenon.h\"\n\n"
      << "namespace tn = tenon;\n\nint main() {\n";
  for (const Block& block : blocks) {
    if (!block.code) continue;
    put(out, block, base_name(document));
    out << "std::cout << \"" << kEnd << "\\n\";\n";
  }
  out << "}\n";
  return 0;
}

// What each code block printed.
std::vector<std::vector<std::string>> outputs_of(const std::string& path) {
  std::vector<std::vector<std::string>> outputs(1);
  for (const std::string& line : read_lines(path)) {
    if (line == kEnd) {
      outputs.emplace_back();
    } else {
      outputs.back().push_back(line);
    }
  }
  return outputs;
}

int check(const std::string& document, const std::string& path, bool update) {
  std::vector<std::string> lines = read_lines(document);
  const std::vector<Block> blocks = used_blocks(lines);
  std::vector<std::vector<std::string>> outputs = outputs_of(path);
  if (!blocks.empty() && has_main(blocks[0])) outputs.emplace_back();  // it prints no end mark
  int wrong = 0;
  std::ptrdiff_t moved = 0;  // lines that updates have added so far
  size_t code = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    if (!blocks[b].code) continue;
    if (code + 1 >= outputs.size()) {
      std::cerr << document << ":" << blocks[b].first << ": the program ended before this block\n";
      return 1;
    }
    const std::vector<std::string>& printed = outputs[code++];
    const bool shown = b + 1 < blocks.size() && !blocks[b + 1].code;
    const std::vector<std::string> expected =
        shown ? blocks[b + 1].lines : std::vector<std::string>();
    if (printed == expected) continue;
    if (update && shown) {
      const auto at = lines.begin() + static_cast<std::ptrdiff_t>(blocks[b + 1].first) + moved;
      const auto place = lines.erase(at, at + static_cast<std::ptrdiff_t>(expected.size()));
      lines.insert(place, printed.begin(), printed.end());
      moved += static_cast<std::ptrdiff_t>(printed.size()) -
               static_cast<std::ptrdiff_t>(expected.size());
      continue;
    }
    ++wrong;
    std::cerr << document << ":" << blocks[b].first << ": this block prints\n";
    for (const std::string& line : printed) std::cerr << "  " << line << "\n";
    std::cerr << (shown ? "and the document shows something else\n"
                        : "and the document shows nothing\n");
  }
  if (update) {
    std::ofstream out(document);
    for (const std::string& line : lines) out << line << "\n";
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc == 4 ? argv[1] : "";
  if (mode == "code") return write_code(argv[2], argv[3]);
  if (mode == "check") return check(argv[2], argv[3], false);
  if (mode == "update") return check(argv[2], argv[3], true);
  std::cerr << "usage: doc_blocks code|check|update document file\n";
  return 2;
}
