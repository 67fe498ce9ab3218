// A run of pairs of random Programs and random schedules, with what a run of some length has to
// have seen.
#pragma once

#include <catch2/catch.hpp>
#include <iostream>
#include <sstream>
#include <string>

#include "support/native.h"
#include "support/pair_check.h"

namespace tenon::test {

// With sanitizers or without optimisation a pair takes many times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
inline constexpr int64_t kPairs = 1'000;
#else
inline constexpr int64_t kPairs = 5'000;
#endif

// Every second seed from `first` on. At least a thousand, or the floors mean nothing.
inline void check_seeds(uint64_t first, int64_t pairs = kPairs) {
  const PairOptions options;
  PairCounts counts;
  for (uint64_t seed = first; counts.pairs < pairs; seed += 2) {
    const std::optional<PairFailure> failure = check_pair(seed, options, counts);
    if (failure) FAIL("seed " << seed << "\n" << failure->to_string());
  }
  std::cout << counts.pairs << " pairs, " << counts.accepted << " steps accepted, "
            << counts.refused << " refused, " << counts.reassociated << " reassociated, "
            << counts.lowered << " lowered forms, " << counts.native << " machine codes, "
            << counts.instructions << " forms with instructions, " << counts.longest
            << " steps in the longest trace\n";
  for (const auto& [name, count] : counts.primitives) std::cout << name << " " << count << "  ";
  std::cout << "\n";
  for (const auto& [name, count] : counts.forms) std::cout << name << " " << count << "  ";
  std::cout << "\n";
  std::istringstream names(
      "split fuse reorder tile cut unroll vectorize parallelize fission compute_at inline_into "
      "set_layout register_tile rfactor decompose_init expand pad pad_reduction reorder_storage "
      "store_over "
      "store_in shift skew reverse relax merge add_unit_loop squash "
      "compute_root hoist_alloc slide reverse_inline reverse_compute_at fuse_epilogue "
      "assume specialize stage align_storage fold_storage set_scope prefetch stream lanes "
      "parallel_chunks fuse_at "
      "split_rows tensorize");
  for (std::string name; names >> name;) {
    INFO(name);
    CHECK(counts.primitives[name] >= pairs / 100);
  }
  for (const char* form : {"accumulating update",
                           "storing update",
                           "at_most",
                           "bitcast",
                           "concat",
                           "extern",
                           "gather",
                           "inout",
                           "named values",
                           "pad_constant",
                           "pad_edge",
                           "pad_reflect",
                           "pad_wrap",
                           "quantized",
                           "reducing update",
                           "reduction by functions",
                           "saturating cast",
                           "scan",
                           "scan of some steps",
                           "several",
                           "slice",
                           "table",
                           "triangle",
                           "where",
                           "window"}) {
    INFO(form);
    CHECK(counts.forms[form] >= pairs / 500);
  }
  CHECK(counts.reassociated >= pairs / 100);
  CHECK(counts.longest >= 25);
  CHECK(counts.lowered >= 3 * pairs * 99 / 100);  // a few take too long to interpret
  for (const Target& target : native_targets()) {
    INFO(target.to_string());
    CHECK(counts.levels[target.to_string()] >= pairs / options.native_every);
  }
  CHECK(counts.levels.count("x86-64-v2") == 1);
}

}  // namespace tenon::test
