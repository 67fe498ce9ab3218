// 64-bit hashing by value, the same on every run and every machine.
//
//   uint64_t h = hash_combine(hash_of_text("split"), 12);
//
// Used for structural hashes and cache keys, which must not depend on addresses.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon {

// The finaliser of a 64-bit mix: every input bit changes about half of the output bits.
constexpr uint64_t hash_mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  return x;
}

constexpr uint64_t hash_combine(uint64_t seed, uint64_t value) {
  return hash_mix(seed * 0x9e3779b97f4a7c15u + value + 0x632be59bd9b4e019u);
}

constexpr uint64_t hash_of_text(std::string_view text) {
  uint64_t h = text.size();
  for (char c : text) h = hash_combine(h, static_cast<unsigned char>(c));
  return h;
}

}  // namespace tenon
