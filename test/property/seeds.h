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

// Every second seed from `first` on. At least a thousand, or the floors mean nothing.
inline void check_seeds(uint64_t first, int64_t pairs) {
  PairCounts counts;
  for (uint64_t seed = first; counts.pairs < pairs; seed += 2) {
    const std::string wrong = check_pair(seed, {}, counts);
    if (!wrong.empty()) FAIL(wrong);
  }
  std::cout << counts.pairs << " pairs, " << counts.accepted << " steps accepted, "
            << counts.refused << " refused, " << counts.reassociated << " reassociated, "
            << counts.lowered << " lowered forms, " << counts.native << " machine codes, "
            << counts.tables << " programs with a table, " << counts.in_place << " in place\n";
  for (const auto& [name, count] : counts.primitives) std::cout << name << " " << count << "  ";
  std::cout << "\n";
  std::istringstream names(
      "split fuse reorder tile cut unroll vectorize parallelize fission compute_at inline_into "
      "set_layout register_tile rfactor decompose_init expand pad reorder_storage store_over "
      "store_in shift skew reverse relax merge add_unit_loop squash "
      "compute_root hoist_alloc slide reverse_inline reverse_compute_at fuse_epilogue "
      "assume specialize stage align_storage fold_storage lanes parallel_chunks fuse_at "
      "split_rows");
  for (std::string name; names >> name;) {
    INFO(name);
    CHECK(counts.primitives[name] >= 20);
  }
  CHECK(counts.reassociated >= 10);
  CHECK(counts.tables >= pairs / 20);
  CHECK(counts.in_place >= pairs / 10);
  CHECK(counts.lowered == 3 * pairs);
  for (const Target& target : native_targets()) {
    INFO(target.to_string());
    CHECK(counts.levels[target.to_string()] == pairs);
  }
  CHECK(counts.levels.count("x86-64-v2") == 1);
}

}  // namespace tenon::test
