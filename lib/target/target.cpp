#include "tenon/target/target.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "target/x86_features.h"
#include "tenon/base/macros.h"

namespace tenon {
namespace {

constexpr int kLevels = 4;
constexpr std::string_view kLevelNames[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
constexpr std::string_view kHost = "host";

std::vector<std::string> names_of(const FeatureSet& set) {
  std::vector<std::string> names;
  size_t i = 0;
  for (const Feature& f : feature_table()) {
    if (set.test(i++)) names.emplace_back(f.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

FeatureSet set_of(const Target& target) {
  FeatureSet set;
  size_t i = 0;
  for (const Feature& f : feature_table()) set.set(i++, target.has(f.name));
  return set;
}

bool contains(const FeatureSet& all, const FeatureSet& part) { return (all & part) == part; }

int level_of(const FeatureSet& set) {
  int level = 1;
  while (level < kLevels && contains(set, features_of_level(level + 1))) ++level;
  return level;
}

absl::Status unknown_feature(std::string_view text, std::string_view name) {
  std::vector<std::string> known;
  for (const Feature& f : feature_table()) known.emplace_back(f.name);
  std::sort(known.begin(), known.end());
  return refuse(
      "target \"" + std::string(text) + "\": no feature is called \"" + std::string(name) + "\"",
      {}, std::move(known));
}

// The name of a processor that `text` begins with; empty when there is none. The name ends where a
// sign follows, but for the signs in "x86-64-v3".
std::string_view leading_processor(std::string_view text) {
  std::string_view longest;
  auto try_name = [&](std::string_view name) {
    if (!text.starts_with(name) || name.size() < longest.size()) return;
    const std::string_view rest = text.substr(name.size());
    if (rest.empty() || rest.front() == '+' || rest.front() == '-') longest = name;
  };
  try_name(kHost);
  for (std::string_view name : kLevelNames) try_name(name);
  return longest;
}

// "x86-64-v5" means a level that is not known, not x86-64 without a feature "v5".
bool looks_like_level(std::string_view changes) {
  return changes.starts_with("-v") && changes.size() > 2 && changes[2] >= '0' && changes[2] <= '9';
}

FeatureSet features_of_processor(std::string_view level_name) {
  const auto* at = std::find(std::begin(kLevelNames), std::end(kLevelNames), level_name);
  return features_of_level(static_cast<int>(at - std::begin(kLevelNames)) + 1);
}

absl::Status unknown_processor(std::string_view text) {
  std::vector<std::string> known{std::string(kHost)};
  known.insert(known.end(), std::begin(kLevelNames), std::end(kLevelNames));
  return refuse("target \"" + std::string(text) + "\" does not begin with the name of a processor",
                {}, std::move(known));
}

// "+avx2-fma": each sign and the name after it. Names hold no sign of their own.
absl::StatusOr<FeatureSet> apply_changes(FeatureSet set, std::string_view text,
                                         std::string_view changes) {
  while (!changes.empty()) {
    const bool add = changes.front() == '+';
    changes.remove_prefix(1);
    const std::string_view name = changes.substr(0, changes.find_first_of("+-"));
    changes.remove_prefix(name.size());
    const std::optional<int> feature = find_feature(name);
    if (!feature) return unknown_feature(text, name);
    if (!add && features_of_level(1).test(static_cast<size_t>(*feature))) {
      return refuse("target \"" + std::string(text) + "\": every x86-64 processor has " +
                    std::string(name));
    }
    set.set(static_cast<size_t>(*feature), add);
    set = add ? with_implied(set) : without_unsupported(set);
  }
  return set;
}

}  // namespace

Target::Target() : Target(names_of(features_of_level(2))) {}

Target::Target(std::vector<std::string> features) : features_(std::move(features)) {
  level_ = level_of(set_of(*this));
  if (has("avx512vl") && has("avx512dq") && has("avx512bw")) {
    vector_bits_ = 512;
  } else if (has("avx2")) {
    vector_bits_ = 256;
  }
}

Target Target::host(const CpuInfo& info) {
  Target target(names_of(detect_features(info)));
  const CacheSizes caches = detect_caches(info);
  if (caches.l1 > 0) target.l1_bytes_ = caches.l1;
  if (caches.l2 > 0) target.l2_bytes_ = caches.l2;
  return target;
}

Target Target::host() {
  // CPUID is slow under a hypervisor, and its answer does not change.
  static const Target target = host(native_cpu());
  return target;
}

absl::StatusOr<Target> Target::parse(std::string_view text) {
  const std::string_view processor = leading_processor(text);
  const std::string_view changes = text.substr(processor.size());
  if (processor.empty() || looks_like_level(changes)) return unknown_processor(text);
  const Target base =
      processor == kHost ? host() : Target(names_of(features_of_processor(processor)));
  TENON_ASSIGN_OR_RETURN(const FeatureSet set, apply_changes(set_of(base), text, changes));
  Target result(names_of(set));
  result.l1_bytes_ = base.l1_bytes_;
  result.l2_bytes_ = base.l2_bytes_;
  return result;
}

bool Target::has(std::string_view feature) const {
  return std::binary_search(features_.begin(), features_.end(), feature);
}

std::string Target::llvm_features() const {
  std::string text;
  for (const std::string& f : features_) text += (text.empty() ? "+" : ",+") + f;
  return text;
}

std::string Target::triple() const { return "x86_64-unknown-linux-gnu"; }

std::string Target::to_string() const {
  std::string text(kLevelNames[level_ - 1]);
  const FeatureSet of_level = features_of_level(level_);
  for (const std::string& f : features_) {
    if (!of_level.test(static_cast<size_t>(*find_feature(f)))) text += "+" + f;
  }
  return text;
}

int Target::lanes(Type type) const { return vector_bits_ / (8 * type.element().bytes()); }

Target::Tile Target::matmul_tile(Type type) const {
  return {(vector_registers() - 4) / 2, 2 * lanes(type)};
}

bool runs_on_host(const Target& target) { return contains(set_of(Target::host()), set_of(target)); }

}  // namespace tenon
