#include "tenon/base/type.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "tenon/base/limits.h"

namespace tenon {
namespace {

struct Row {
  std::string_view name;
  int bits;
};

// Indexed by Scalar.
constexpr std::array<Row, 13> kRows = {{{"f64", 64},
                                        {"f32", 32},
                                        {"f16", 16},
                                        {"bf16", 16},
                                        {"i8", 8},
                                        {"i16", 16},
                                        {"i32", 32},
                                        {"i64", 64},
                                        {"u8", 8},
                                        {"u16", 16},
                                        {"u32", 32},
                                        {"u64", 64},
                                        {"bool", 1}}};

const Row& row(Type type) { return kRows[static_cast<size_t>(type.scalar)]; }

}  // namespace

int Type::bits() const { return row(*this).bits; }

int Type::bytes() const { return is_bool() ? 1 : bits() / 8; }

std::string to_string(Type type) {
  std::string text(row(type).name);
  if (type.is_vector()) text += "x" + std::to_string(type.lanes);
  return text;
}

std::optional<Type> parse_type(std::string_view text) {
  for (size_t i = 0; i < kRows.size(); ++i) {
    const std::string_view name = kRows[i].name;
    if (text.substr(0, name.size()) != name) continue;
    Type type{static_cast<Scalar>(i)};
    std::string_view rest = text.substr(name.size());
    if (rest.empty()) return type;
    if (rest.front() != 'x') continue;
    rest.remove_prefix(1);
    if (rest.substr(0, 1) == "0") continue;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), type.lanes);
    if (error == std::errc() && end == rest.data() + rest.size() && type.lanes > 1) return type;
  }
  return std::nullopt;
}

std::optional<int64_t> bytes_of(Type type, const std::vector<int64_t>& shape) {
  if (std::ranges::any_of(shape, [](int64_t n) { return n < 0; })) return std::nullopt;
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  int64_t bytes = type.bytes();
  for (int64_t n : shape) {
    if (__builtin_mul_overflow(bytes, n, &bytes)) return std::nullopt;
  }
  return bytes <= kMostMemory ? std::optional(bytes) : std::nullopt;
}

}  // namespace tenon
