#include "tenon/base/hash.h"

#include <bit>
#include <catch2/catch.hpp>
#include <set>

namespace tenon {
namespace {

TEST_CASE("a hash is the same on every run and every machine") {
  // Cache files carry these values: if one changes, their version has to change too.
  CHECK(hash_mix(1) == 0x4179b061e0c0e0d0u);
  CHECK(hash_combine(1, 2) == 0x5ee0d6f36d81f669u);
  CHECK(hash_of_text("split") == 0x0a4698a912386d0eu);
}

TEST_CASE("order and length matter to a combined hash") {
  CHECK(hash_combine(hash_combine(0, 1), 2) != hash_combine(hash_combine(0, 2), 1));
  CHECK(hash_of_text("ab") != hash_of_text("ba"));
  CHECK(hash_of_text("") != hash_of_text(std::string_view("\0", 1)));
  CHECK(hash_of_text("a") != hash_of_text(std::string_view("a\0", 2)));
}

TEST_CASE("neighbouring values do not collide and change many bits") {
  std::set<uint64_t> seen;
  int changed = 0;
  for (uint64_t i = 0; i < 100000; ++i) {
    seen.insert(hash_combine(0, i));
    changed += std::popcount(hash_combine(0, i) ^ hash_combine(0, i + 1));
  }
  CHECK(seen.size() == 100000);
  CHECK(changed / 100000.0 > 28);
  CHECK(changed / 100000.0 < 36);
}

}  // namespace
}  // namespace tenon
