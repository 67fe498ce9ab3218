#include "tenon/schedule/factor.h"

#include <algorithm>
#include <cctype>

namespace tenon {

Factor Factor::named(const std::string& name, int64_t value) {
  Factor factor(value);
  for (const char c : name) {
    factor.name_ += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  if (factor.name_.empty() || std::isdigit(static_cast<unsigned char>(factor.name_[0]))) {
    factor.name_.insert(0, "_");
  }
  return factor;
}

Factor Factor::with_value(int64_t value) const {
  Factor factor = *this;
  factor.value_ = value;
  return factor;
}

std::string Factor::text() const {
  return (name_.empty() ? "" : name_ + "=") + std::to_string(value_);
}

std::vector<int64_t> Factors::values() const {
  std::vector<int64_t> values;
  for (const Factor& factor : list_) values.push_back(factor.value());
  return values;
}

std::string Factors::text() const {
  std::string text;
  for (const Factor& factor : list_) {
    const bool inferred = factor.name().empty() && factor.value() == kInferred;
    text += (text.empty() ? "" : ", ") + (inferred ? "inferred" : factor.text());
  }
  return "{" + text + "}";
}

}  // namespace tenon
