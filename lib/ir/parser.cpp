#include "ir/parser.h"

#include "ir/grammar.h"

namespace tenon {
namespace {

std::string found(const Token& token) {
  switch (token.kind) {
    case Token::kEnd: return "found the end of the text";
    case Token::kUnknown: {
      constexpr char kHex[] = "0123456789abcdef";
      const unsigned char c = static_cast<unsigned char>(token.text.front());
      if (c > ' ' && c < 0x7f) break;
      return std::string("found the byte 0x") + kHex[c >> 4] + kHex[c & 15];
    }
    default: break;
  }
  return "found " + quoted(token.text);
}

}  // namespace

// --- Tokens.

const Token& ProgramParser::peek(size_t ahead) const {
  return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
}

Token ProgramParser::next() {
  const Token token = peek();
  if (position_ + 1 < tokens_.size()) ++position_;
  return token;
}

bool ProgramParser::accept(std::string_view text) {
  if (!sees(text) || peek().kind == Token::kEnd) return false;
  next();
  return true;
}

bool ProgramParser::accept_word(std::string_view word) {
  return continues_with(word) && accept(word);
}

void ProgramParser::expect(std::string_view text) {
  if (!accept(text)) fail_expected(quoted(text));
}

Token ProgramParser::expect_name(std::string_view what) {
  if (!sees_name()) fail_expected(what);
  return next();
}

void ProgramParser::fail(const Token& at, const std::string& message) {
  if (!error_.ok()) return;
  error_ = refuse("line " + std::to_string(at.line) + ", column " + std::to_string(at.column) +
                  ": " + message);
  position_ = tokens_.size() - 1;
}

void ProgramParser::fail_expected(std::string_view what) {
  fail(peek(), found(peek()) + ", expected " + std::string(what));
}

bool ProgramParser::enter(int levels) {
  depth_ += levels;
  if (depth_ <= kMaxNesting) return true;
  fail(peek(), "nested more than " + std::to_string(kMaxNesting) + " levels deep");
  depth_ -= levels;
  return false;
}

// --- Names.

void ProgramParser::declare(const Token& name, Var var, Buffer buffer) {
  if (!error_.ok()) return;
  const std::string text(name.text);
  if (is_reserved(text)) fail(name, quoted(text) + " has a meaning of its own and names nothing");
  const auto [known, is_new] = names_.try_emplace(text, Named{var, buffer, name.line});
  if (!is_new) {
    fail(name,
         quoted(text) + " is declared already, in line " + std::to_string(known->second.line));
  }
  declared_.push_back(text);
}

Var ProgramParser::declare_var(const Token& name, Type type) {
  const Var var(std::string(name.text), type);
  declare(name, var, Buffer());
  return var;
}

Buffer ProgramParser::declare_buffer(const Token& name, Type type) {
  const Buffer buffer(std::string(name.text), type);
  declare(name, Var(), buffer);
  return buffer;
}

void ProgramParser::close_scope(size_t mark) {
  for (; declared_.size() > mark; declared_.pop_back()) names_.erase(declared_.back());
}

Var ProgramParser::find_var(const Token& name) {
  const auto known = names_.find(name.text);
  if (known == names_.end()) {
    fail(name, quoted(name.text) + " is not declared");
    return Var();
  }
  if (!known->second.var) fail(name, quoted(name.text) + " is a buffer and needs indices");
  return known->second.var;
}

Buffer ProgramParser::find_buffer(const Token& name) {
  const auto known = names_.find(name.text);
  if (known == names_.end()) {
    fail(name, quoted(name.text) + " is not declared");
    return Buffer();
  }
  if (!known->second.buffer) fail(name, quoted(name.text) + " is not a buffer");
  return known->second.buffer;
}

}  // namespace tenon
