// The small language in which the rules are written: parsing, matching, instantiation.
#include <cstdlib>
#include <string>

#include "analysis/bounds.h"
#include "analysis/rules.h"
#include "tenon/ir/fold.h"
#include "tenon/ir/scalar_ops.h"

namespace tenon::rules {
namespace {

// --- Parsing: operators by precedence, loosest first.

struct Spelling {
  std::string_view text;
  BinaryOp op;
  bool swapped = false;  // a > b is b < a
};
// Longer spellings before their prefixes.
constexpr Spelling kLevels[][6] = {
    {{"|", BinaryOp::kBitOr}},
    {{"^", BinaryOp::kBitXor}},
    {{"&", BinaryOp::kBitAnd}},
    {{"==", BinaryOp::kEq},
     {"!=", BinaryOp::kNe},
     {"<= ", BinaryOp::kLe},
     {">= ", BinaryOp::kLe, true},
     {"< ", BinaryOp::kLt},
     {"> ", BinaryOp::kLt, true}},
    {{"<<", BinaryOp::kShl}, {">>", BinaryOp::kShr}},
    {{"+", BinaryOp::kAdd}, {"- ", BinaryOp::kSub}},
    {{"*", BinaryOp::kMul},
     {"//", BinaryOp::kFloorDiv},
     {"/", BinaryOp::kDiv},
     {"%", BinaryOp::kFloorMod}},
};
constexpr int kLevelCount = static_cast<int>(std::size(kLevels));

struct Function {
  std::string_view name;
  Term::Kind kind;
  UnaryOp unary = {};
  BinaryOp binary = {};
};
constexpr Function kFunctions[] = {
    {"min", Term::Kind::kBinary, {}, BinaryOp::kMin},
    {"max", Term::Kind::kBinary, {}, BinaryOp::kMax},
    {"truncdiv", Term::Kind::kBinary, {}, BinaryOp::kTruncDiv},
    {"truncrem", Term::Kind::kBinary, {}, BinaryOp::kTruncRem},
    {"abs", Term::Kind::kUnary, UnaryOp::kAbs},
    {"floor", Term::Kind::kUnary, UnaryOp::kFloor},
    {"ceil", Term::Kind::kUnary, UnaryOp::kCeil},
    {"round", Term::Kind::kUnary, UnaryOp::kRound},
    {"trunc", Term::Kind::kUnary, UnaryOp::kTrunc},
    {"select", Term::Kind::kSelect},
    {"fits", Term::Kind::kFits},
};

class Parser {
 public:
  Parser(std::string_view text, std::vector<Term>& terms) : text_(text), terms_(terms) {}

  int parse() {
    const int term = parse_level(0);
    if (!text_.empty()) std::abort();
    return term;
  }

 private:
  int add(const Term& term) {
    terms_.push_back(term);
    return static_cast<int>(terms_.size()) - 1;
  }

  void skip_spaces() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }

  bool take(std::string_view token) {
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    skip_spaces();
    return true;
  }

  const Spelling* take_operator(int level) {
    for (const Spelling& spelling : kLevels[level]) {
      if (!spelling.text.empty() && take(spelling.text)) return &spelling;
    }
    return nullptr;
  }

  int parse_level(int level) {
    if (level == kLevelCount) return parse_unary();
    int left = parse_level(level + 1);
    while (const Spelling* op = take_operator(level)) {
      Term term;
      term.kind = Term::Kind::kBinary;
      term.binary = op->op;
      const int right = parse_level(level + 1);
      term.operands[0] = op->swapped ? right : left;
      term.operands[1] = op->swapped ? left : right;
      left = add(term);
    }
    return left;
  }

  int parse_unary() {
    Term term;
    term.kind = Term::Kind::kUnary;
    if (take("~")) {
      term.unary = UnaryOp::kNot;
    } else if (text_.size() > 1 && text_[0] == '-' && !is_digit(text_[1])) {
      take("-");
      term.unary = UnaryOp::kNeg;
    } else {
      return parse_primary();
    }
    term.operands[0] = parse_unary();
    return add(term);
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  int parse_primary() {
    if (take("(")) {
      const int inner = parse_level(0);
      if (!take(")")) std::abort();
      return inner;
    }
    for (const Function& function : kFunctions) {
      if (text_.starts_with(std::string(function.name) + "(")) return parse_call(function);
    }
    static constexpr std::string_view kNames = "xyzab";
    if (const size_t letter = text_.empty() ? kNames.npos : kNames.find(text_[0]);
        letter != kNames.npos) {
      take(text_.substr(0, 1));
      Term term;
      term.kind = Term::Kind::kLetter;
      term.letter = static_cast<int>(letter);
      return add(term);
    }
    return parse_number();
  }

  int parse_call(const Function& function) {
    take(function.name);
    take("(");
    Term term;
    term.kind = function.kind;
    term.unary = function.unary;
    term.binary = function.binary;
    int count = 0;
    do {
      term.operands[count++] = parse_level(0);
    } while (take(","));
    if (!take(")")) std::abort();
    return add(term);
  }

  int parse_number() {
    Term term;
    const bool negative = take("-");
    if (text_.empty() || !is_digit(text_[0])) std::abort();
    while (!text_.empty() && is_digit(text_[0])) {
      term.number = term.number * 10 + (text_[0] - '0');
      text_.remove_prefix(1);
    }
    skip_spaces();
    term.minus_zero = negative && term.number == 0;
    if (negative) term.number = -term.number;
    return add(term);
  }

  std::string_view text_;
  std::vector<Term>& terms_;
};

// --- Matching.

// The bits of a constant, also through a Broadcast.
std::optional<uint64_t> constant_bits_of(const Expr& e) {
  const Broadcast* b = e.as<Broadcast>();
  const Const* c = b ? b->a.as<Const>() : e.as<Const>();
  return c ? std::optional<uint64_t>(c->bits) : std::nullopt;
}

uint64_t number_bits(const Term& term, Type type) {
  if (type.is_float()) {
    return bits_of_float(type, term.minus_zero ? -0.0 : static_cast<double>(term.number));
  }
  return bits_of_int(type, term.number);
}

class Matcher {
 public:
  Matcher(const CompiledRule& rule, Bindings& bindings) : rule_(rule), bindings_(bindings) {}

  bool match(int index, const Expr& e) {
    const Term& term = rule_.terms[index];
    switch (term.kind) {
      case Term::Kind::kLetter: return bind(term.letter, e);
      case Term::Kind::kNumber: {
        const std::optional<uint64_t> bits = constant_bits_of(e);
        return bits && *bits == number_bits(term, e.type());
      }
      case Term::Kind::kUnary: {
        const Unary* u = e.as<Unary>();
        return u && u->op == term.unary && match(term.operands[0], u->a);
      }
      case Term::Kind::kBinary: return match_binary(term, e);
      case Term::Kind::kSelect: {
        const Select* s = e.as<Select>();
        return s && match(term.operands[0], s->condition) && match(term.operands[1], s->on_true) &&
               match(term.operands[2], s->on_false);
      }
      case Term::Kind::kFits: return false;
    }
    return false;
  }

 private:
  bool bind(int letter, const Expr& e) {
    if (is_constant_letter(letter) && !constant_bits_of(e)) return false;
    Expr& bound = bindings_.letters[letter];
    if (bound) return equal(bound, e);
    bound = e;
    return true;
  }

  bool match_binary(const Term& term, const Expr& e) {
    const Binary* b = e.as<Binary>();
    if (!b || b->op != term.binary) return false;
    const Bindings before = bindings_;
    if (match(term.operands[0], b->a) && match(term.operands[1], b->b)) return true;
    bindings_ = before;
    return is_commutative(b->op) && match(term.operands[0], b->b) && match(term.operands[1], b->a);
  }

  const CompiledRule& rule_;
  Bindings& bindings_;
};

Span evaluate(const CompiledRule& rule, int index, Type type, const std::vector<Span>& letters) {
  const Term& term = rule.terms[index];
  const auto operand = [&](int n) { return evaluate(rule, term.operands[n], type, letters); };
  switch (term.kind) {
    case Term::Kind::kLetter: return letters[term.letter];
    case Term::Kind::kNumber: return Span::point(term.number);
    case Term::Kind::kUnary: return span_of(term.unary, i64, operand(0));
    case Term::Kind::kBinary:
      if (term.binary == BinaryOp::kBitAnd) return min(operand(0), operand(1));
      return span_of(term.binary, i64, operand(0), operand(1));
    case Term::Kind::kFits: {
      const Span value = operand(0);
      return Span::point(!value.is_whole() && value.inside(Span::of(type)));
    }
    case Term::Kind::kSelect: break;
  }
  std::abort();
}

// --- The table by the operator of the pattern's root.

struct Index {
  std::vector<CompiledRule> rules;
  std::vector<int> unary[kUnaryOpCount];
  std::vector<int> binary[kBinaryOpCount];
  std::vector<int> select;
};

Index make_index() {
  Index index;
  for (const Rule& rule : table()) {
    CompiledRule compiled = compile(rule);
    const Term& root = compiled.terms[compiled.pattern];
    const int number = static_cast<int>(index.rules.size());
    switch (root.kind) {
      case Term::Kind::kUnary: index.unary[static_cast<int>(root.unary)].push_back(number); break;
      case Term::Kind::kBinary:
        index.binary[static_cast<int>(root.binary)].push_back(number);
        break;
      case Term::Kind::kSelect: index.select.push_back(number); break;
      default: std::abort();
    }
    index.rules.push_back(std::move(compiled));
  }
  return index;
}

const Index& index_of_table() {
  static const Index index = make_index();
  return index;
}

const std::vector<int>* candidates(const Index& index, const Expr& e) {
  if (const Unary* u = e.as<Unary>()) return &index.unary[static_cast<int>(u->op)];
  if (const Binary* b = e.as<Binary>()) return &index.binary[static_cast<int>(b->op)];
  if (e.is<Select>()) return &index.select;
  return nullptr;
}

}  // namespace

bool is_commutative(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kMul:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
    case BinaryOp::kEq:
    case BinaryOp::kNe: return true;
    default: return false;
  }
}

CompiledRule compile(const Rule& rule) {
  CompiledRule compiled;
  compiled.rule = &rule;
  compiled.pattern = Parser(rule.pattern, compiled.terms).parse();
  compiled.replacement = Parser(rule.replacement, compiled.terms).parse();
  if (!rule.condition.empty()) {
    compiled.condition = Parser(rule.condition, compiled.terms).parse();
  }
  return compiled;
}

bool matches(const CompiledRule& rule, const Expr& e, Bindings& bindings) {
  return Matcher(rule, bindings).match(rule.pattern, e) && bindings.letters[0] &&
         contains(rule.rule->domain, bindings.letters[0].type());
}

bool condition_holds(const CompiledRule& rule, Type type, const std::vector<Span>& letters) {
  return rule.condition < 0 || evaluate(rule, rule.condition, type, letters).at_least(1);
}

Expr instantiate(const CompiledRule& rule, int index, const Bindings& bindings, Type type) {
  const Term& term = rule.terms[index];
  const auto operand = [&](int n) { return instantiate(rule, term.operands[n], bindings, type); };
  switch (term.kind) {
    case Term::Kind::kLetter: return bindings.letters[term.letter];
    case Term::Kind::kNumber: return constant_bits(type, number_bits(term, type));
    case Term::Kind::kUnary: return fold(unary(term.unary, operand(0)));
    case Term::Kind::kBinary: return fold(binary(term.binary, operand(0), operand(1)));
    case Term::Kind::kSelect: return make_select(operand(0), operand(1), operand(2));
    case Term::Kind::kFits: break;
  }
  std::abort();
}

Expr apply_once(const Expr& e, const Facts& facts) {
  const Index& index = index_of_table();
  const std::vector<int>* numbers = candidates(index, e);
  if (!numbers) return {};
  for (const int number : *numbers) {
    const CompiledRule& rule = index.rules[number];
    Bindings bindings;
    if (!matches(rule, e, bindings)) continue;
    const Type type = bindings.letters[0].type();
    if (rule.condition >= 0) {
      std::vector<Span> letters(kLetters);
      for (int letter = 0; letter < kLetters; ++letter) {
        const Expr& bound = bindings.letters[letter];
        if (bound) letters[letter] = span_of(bound, facts);
      }
      if (!condition_holds(rule, type, letters)) continue;
    }
    const bool lone_number = rule.terms[rule.replacement].kind == Term::Kind::kNumber;
    Expr result = instantiate(rule, rule.replacement, bindings, lone_number ? e.type() : type);
    if (result.type() == e.type()) return result;
  }
  return {};
}

}  // namespace tenon::rules
