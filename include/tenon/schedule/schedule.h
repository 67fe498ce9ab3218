// A schedule: a sequence of checked rewrites of a Program.
//
//   Schedule s(program, {{m, 128}, {n, 3072}, {k, 768}});
//   auto [i, j] = s.loops<2>("out");
//   auto [rows, columns] = target.matmul_tile(f32);
//   auto tile = s.register_tile("linear", {i, j}, {rows, columns});
//   s.parallelize(tile.outer(1));
//   std::cout << s.program() << s.trace();
//
// Every step is legal or refused when it is written; s.program() prints and runs after each of
// them. A refused step changes nothing, later steps do nothing, and status() gives the first
// refusal, with the user's file and line. Handles that a refused step returns are safe to use.
//
// A Schedule is a value: copying it branches it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/ir/index.h"
#include "tenon/ir/names.h"
#include "tenon/ir/program.h"
#include "tenon/ir/size.h"
#include "tenon/schedule/factor.h"
#include "tenon/schedule/lint.h"

namespace tenon {

// A loop is its variable; the handle stays good as long as rewrites keep the loop.
class Loop {
 public:
  Loop() = default;
  explicit Loop(Var var) : var_(std::move(var)) {}
  const Var& var() const { return var_; }

 private:
  Var var_;
};

// One step that was done. A derived step is followed by its primitives, one level deeper.
struct Step {
  int number = 0;    // counts the steps that the user wrote; the primitives of one share its number
  int depth = 0;     // 0: written by the user
  std::string text;  // "split(i, 12) -> io, ii"
  std::string file;
  int line = 0;
  // Loops that no longer exist after this step, their names before it, and what it did to them
  // ("split it into io, ii").
  struct Consumed {
    Var var;
    std::string name;
  };
  std::vector<Consumed> consumed;
  std::string fate;
  std::vector<Var> made;  // loops that this step made

  // The name of a loop that this step consumed; null for another one.
  const std::string* consumed_name(const Var& var) const;
};

//   1 split(i, 12) -> io, ii   (mykernel.cpp:42)
//   2 register_tile(linear, {i, j}, {12, 32})   (mykernel.cpp:43)
//       split(i, 12) -> io, ii
class Trace {
 public:
  const std::vector<Step>& steps() const { return steps_; }
  std::string to_string() const;

 private:
  friend class Schedule;
  std::vector<Step> steps_;
};
std::ostream& operator<<(std::ostream& out, const Trace& trace);

// What becomes of the iterations that a split leaves over.
enum class Tail : uint8_t {
  kGuard,    // the last tile is guarded
  kCut,      // they get a loop of their own, after the tiles
  kPerfect,  // there are none: refused unless the factor is proved to divide the extent
};

class Schedule;

// What register_tile made, by dimension of the tile: the loops over the tiles (the last dimension's
// stands outermost, the others inside it in order), and the loops of the consumer inside of one. An
// empty handle where there is no such dimension.
class RegisterTile {
 public:
  Loop outer(int dim) const { return at(outer_, dim); }
  Loop inner(int dim) const { return at(inner_, dim); }

 private:
  friend class Schedule;
  static Loop at(const std::vector<Loop>& loops, int dim) {
    return dim >= 0 && static_cast<size_t>(dim) < loops.size() ? loops[static_cast<size_t>(dim)]
                                                               : Loop();
  }
  std::vector<Loop> outer_, inner_;
};

// What rfactor made: the stage of the partial results, and the loops that initialise and that fold
// them. The first of each stands for the loop that was factored; the others for the loops of the
// nest that the target uses. The nest in between keeps its loops.
struct Partials {
  std::string stage;
  std::vector<Loop> init, fold;
};

// What stage made: the local copy, and the loops that fill it and that write it back, one per
// dimension, outermost first; none where nothing had to be copied.
struct Staged {
  std::string stage;
  std::vector<Loop> copy_in, copy_out;
};

// What split_rows made: the loop over blocks of rows, and the loops over the rows of a block, one
// per step, in the order of the program.
struct SplitRows {
  Loop outer;
  std::vector<Loop> rows;
};

// What decompose_init made of the loops that it divided, outermost first; loops further in, such as
// those of the reduction, keep their handles.
struct InitAndUpdate {
  std::vector<Loop> init, update;
};

// What specialize made: the loops and stages of the fast path. Handles and names of before are
// those of the general one.
class FastPath {
 public:
  Loop of(const Loop& general) const;                       // an empty handle where there is none
  std::string of(std::string_view general) const;           // a local stage; another name is itself
  const std::vector<Loop>& loops() const { return fast_; }  // in the order of the text

 private:
  friend class Schedule;
  std::vector<Loop> general_, fast_;
  std::vector<std::pair<std::string, std::string>> stages_;
};

// A new index list from the old one: how a layout maps an element.
using IndexMap = std::function<Index(const Index&)>;

class Schedule {
 public:
  using Place = std::source_location;

  // Sizes that are given become constants first; the others stay symbols.
  explicit Schedule(Program program, const Sizes& sizes = {}, Place place = Place::current());
  // Moving copies: a Schedule always has a Program.
  Schedule(const Schedule&) = default;
  Schedule& operator=(const Schedule&) = default;

  const Program& program() const { return program_; }
  const Trace& trace() const { return trace_; }
  const absl::Status& status() const { return status_; }
  // What will be slow on the target, and what to do about it.
  std::vector<Hint> lint(const Target& target = Target::host()) const {
    return tenon::lint(program_, target);
  }

  // The loops around the (last) statement that writes the stage, outermost first, without
  // reduction loops: one per dimension of the stage while it is unscheduled.
  std::vector<Loop> loops(std::string_view stage, Place place = Place::current());
  template <size_t N>
  std::array<Loop, N> loops(std::string_view stage, Place place = Place::current());
  // All of them, reduction loops included.
  std::vector<Loop> all_loops(std::string_view stage, Place place = Place::current());

  // --- Loops.

  // for i in 0..n { S }  ->  for io in 0..ceil(n / factor) { for ii in 0..factor { if ... { S } } }
  // with i = io*factor + ii, guarded by i < n where the factor does not divide.
  std::pair<Loop, Loop> split(Loop loop, const Factor& factor, Place place = Place::current());
  std::pair<Loop, Loop> split(Loop loop, const Factor& factor, Tail tail,
                              Place place = Place::current());
  // Several at once: the iterations of each new loop, outermost first. One of them may be
  // kInferred: the extent by the others, rounded up. If none is, that is one more loop, outermost.
  std::vector<Loop> split(Loop loop, const Factors& factors, Place place = Place::current());
  // for i { for j }  ->  for f in 0..ni*nj, with i = f // nj, j = f % nj
  Loop fuse(Loop outer, Loop inner, Place place = Place::current());
  // Puts perfectly nested loops into this order, in the places that they hold now.
  void reorder(const std::vector<Loop>& order, Place place = Place::current());
  // Two splits and a reorder: (io, jo, ii, ji).
  std::array<Loop, 4> tile(Loop i, Loop j, const Factor& i_factor, const Factor& j_factor,
                           Place place = Place::current());
  // for i in 0..n  ->  for a in 0..at, for b in at..n. `at` may use sizes and outer loops.
  std::pair<Loop, Loop> cut(Loop loop, Expr at, Place place = Place::current());
  // for i in lo..hi { S[i] }  ->  for i in lo+by..hi+by { S[i-by] }. `by` as `at` of a cut.
  void shift(Loop loop, Expr by, Place place = Place::current());
  // Shifts the inner loop by factor * outer, which turns the dependences of stencils.
  void skew(Loop inner, Loop outer, const Factor& factor, Place place = Place::current());
  // The last iteration first.
  void reverse(Loop loop, Place place = Place::current());
  void unroll(Loop loop, Place place = Place::current());
  // A split, and an unroll of the inner loop.
  std::pair<Loop, Loop> unroll(Loop loop, const Factor& factor, Place place = Place::current());
  void vectorize(Loop loop, Place place = Place::current());
  void parallelize(Loop loop, Place place = Place::current());
  // A split, and its outer loop parallel: a worker takes at least `grain` iterations at a time.
  std::pair<Loop, Loop> parallelize(Loop loop, const Factor& grain, Place place = Place::current());
  // The nest at the loop is what the instruction computes, and becomes one where the target has it
  // and no guard of a tail is left; elsewhere it stays loops. Instructions that come with Tenon:
  // instructions::find("vpmaddwd_256"); of one's own: ir/instruction.h.
  void tensorize(Loop loop, const Instruction& instruction, Place place = Place::current());
  // for i { A; B }  ->  for i1 { A }, for i2 { B }: the first `statements` go to the first loop.
  std::pair<Loop, Loop> fission(Loop loop, int statements, Place place = Place::current());
  // for i { A }, for j { B }  ->  for i { A; B }. What stands between goes above or below.
  Loop merge(Loop first, Loop second, Place place = Place::current());
  // Bounds that use loops around become their hull over those loops (over one of them, if named),
  // and the old bounds a guard; then the loops can be reordered.
  void relax(Loop loop, Place place = Place::current());
  void relax(Loop loop, Loop over, Place place = Place::current());
  // A loop of one iteration directly around the loop; and a loop of one iteration goes away.
  Loop add_unit_loop(Loop loop, Place place = Place::current());
  void squash(Loop loop, Place place = Place::current());

  // --- Where a stage is computed.

  // Computes the stage inside the loop, just what the loop's body needs of it; the stage shrinks.
  // Consumers first: what reads the stage must already be inside of the loop. Returns the
  // producer's loops, one per dimension of the stage; all_loops(stage) has its reduction loops too.
  std::vector<Loop> compute_at(std::string_view stage, Loop loop, Place place = Place::current());
  template <size_t N>
  std::array<Loop, N> compute_at(std::string_view stage, Loop loop, Place place = Place::current());
  // Replaces every read of the stage by its definition; the stage disappears.
  void inline_into(std::string_view stage, Place place = Place::current());
  // The inverse of compute_at: the stage is computed once, in front of all loops, over the hull of
  // what the iterations need. Returns its loops, like compute_at.
  std::vector<Loop> compute_root(std::string_view stage, Place place = Place::current());
  // Declares a stage that the loop's body declares in front of the loop, for all iterations.
  void hoist_alloc(std::string_view stage, Loop loop, Place place = Place::current());
  // What an earlier iteration of the loop has computed of the stage is not computed again (a
  // sliding window). Returns the loops of the nest in front of the loop that starts the first
  // window.
  std::vector<Loop> slide(std::string_view stage, Loop loop, Place place = Place::current());
  // An elementwise stage goes into the nest of the stage that it reads, which disappears.
  void reverse_inline(std::string_view stage, Place place = Place::current());
  // Computes a stage at the end of the body of a loop that computes what it reads. Returns its
  // loops.
  std::vector<Loop> reverse_compute_at(std::string_view stage, Loop loop,
                                       Place place = Place::current());

  // --- How values are stored.

  // Stores the buffer (an intermediate, or a weight) under another index list:
  //   s.set_layout("w", [](Index i) { return Index{i[0] / 32, i[1], i[0] % 32}; });
  // The map must be injective on the shape; a weight is then packed by kernel.pack.
  void set_layout(std::string_view buffer, const IndexMap& map, Place place = Place::current());

  // The body of the loop works on a local copy of what it uses of a parameter or of a stage from
  // outside, which is filled and written back where that is needed. A layout of the copy is a
  // set_layout of it. Without a loop, the whole Program works on the copy of a parameter.
  Staged stage(std::string_view buffer, Loop loop, Place place = Place::current());
  Staged stage(std::string_view buffer, Place place = Place::current());
  // A stage that is declared in the loop's body gets a part for each iteration, in front of it:
  // for i { alloc t: f32[n]; ... t[j] ... }  ->  alloc t: f32[m, n]; for i { ... t[i, j] ... }
  void expand(std::string_view stage, Loop loop, Place place = Place::current());
  // Rounds the extent of a local stage's dimension up to a multiple.
  void pad(std::string_view stage, int dim, const Factor& multiple, Place place = Place::current());

  // The step from one index of a local stage's dimension to the next, in elements, becomes offset
  // modulo multiple: the next dimension grows.
  void align_storage(std::string_view stage, int dim, const Factor& multiple, int64_t offset = 0,
                     Place place = Place::current());
  // A circular buffer: index i of the dimension is stored at i % factor.
  void fold_storage(std::string_view stage, int dim, const Factor& factor,
                    Place place = Place::current());

  // Where a local stage lives: Memory::kRegisters, kStack or kWorkspace, which is the heap memory
  // that a call is given; kAuto leaves it to lowering again. Lowering obeys or refuses.
  void set_scope(std::string_view stage, Memory memory, Place place = Place::current());

  // In each iteration of a serial loop, asks the memory for what the iteration after `iterations`
  // more uses of a parameter. The loop keeps this; a step that replaces the loop (split, fuse) or
  // gives it another kind ends it, so that prefetch is a step for the end of a schedule.
  void prefetch(std::string_view param, Loop loop, const Factor& iterations,
                Place place = Place::current());
  // Whole vectors of an output are stored past the caches (non-temporal): for results that are
  // larger than the caches, or are not read soon.
  void stream(std::string_view output, Place place = Place::current());

  // The stage takes over the memory of an earlier one, whose elements are no longer read where they
  // are overwritten: e[i] = exp(t[i])  ->  t[i] = exp(t[i])
  void store_over(std::string_view stage, std::string_view old, Place place = Place::current());

  // The stage lives in the memory of an output that overwrites it: element e of the stage is
  // element map(e) of the output. The map may use the loops around the stage's declaration:
  //   s.store_in("e", "out", [&](Index d) { return Index{i.var(), d[0]}; });
  void store_in(std::string_view stage, std::string_view output, const IndexMap& map,
                Place place = Place::current());

  // --- Reductions.

  // for r { s += x[r] }  ->  for r { p[r] = 0 }; for r { p[r] += x[r] }; for r { s += p[r] }
  // Each iteration of the reduction loop gets a partial result of its own; other reduction loops
  // around it stay around the nest in the middle. Then the loop may become lanes or unrolled
  // accumulators.
  Partials rfactor(Loop loop, Place place = Place::current());

  // The number of iterations of a reduction loop rounded up to a multiple; what is behind the old
  // end adds nothing:
  //   for r in 0..k { s += x[r] }  ->  for r in 0..ceildiv(k, 4)*4 { s += select(r < k, x[r], -0.0)
  //   }
  void pad_reduction(Loop loop, const Factor& multiple, Place place = Place::current());

  // --- Facts.

  // A condition over sizes that every call promises, and that is checked there: a requirement of
  // the Program. Later steps know it.
  void assume(Expr fact, Place place = Place::current());
  // Two forms of the body in one kernel: a copy that runs where the condition over sizes and scalar
  // parameters holds, and knows that it does, and the body as it is where it does not.
  FastPath specialize(Expr condition, Place place = Place::current());

  // --- Derived steps: made of the above, and the trace shows what they did.

  // A reverse_compute_at: an elementwise stage is computed where the reduction that it reads is
  // complete, in its innermost loop that holds all of it (else in the last iteration of a loop of
  // the reduction). Loops of one iteration that this makes go away. Returns the loops that are
  // left.
  std::vector<Loop> fuse_epilogue(std::string_view stage, Place place = Place::current());

  // for i { for j { c[i, j] = 0; for r { S } } }  ->  for i, j { c[i, j] = 0 }; for i, j, r { S }
  // Fissions from the inside out to the loop: what stands in front of the first loop inside
  // becomes a nest of its own.
  InitAndUpdate decompose_init(Loop loop, Place place = Place::current());

  // A reduction in registers: `accumulators` vectors of partial results, each of vector_bits (a
  // wider one than the target's registers takes several of them), which are folded at the end.
  // Returns the loops over blocks of them, over the accumulators and over the lanes.
  std::array<Loop, 3> lanes(Loop loop, const Factor& accumulators = 4, int64_t vector_bits = 512,
                            Place place = Place::current());

  // A split into so many blocks, which run in parallel: the loops over the blocks and in one.
  std::pair<Loop, Loop> parallel_chunks(Loop loop, const Factor& chunks,
                                        Place place = Place::current());

  // A compute_at of each of these stages, the last one of the program first, so that each has its
  // readers in the loop. Returns the loops of each, in the order of the names.
  std::vector<std::vector<Loop>> fuse_at(const std::vector<std::string>& stages, Loop loop,
                                         Place place = Place::current());

  // Splits the loop into blocks of rows, and gives each step of the body a loop over the rows of
  // its own: what the body declares gets a part for each row, and loops that hold several steps are
  // taken outside of the rows. Then a step can be a tile or a vector over rows.
  SplitRows split_rows(Loop loop, const Factor& rows, Place place = Place::current());

  // The layout in which dimension k of the buffer is the old dimension order[k].
  void reorder_storage(std::string_view buffer, const std::vector<int>& order,
                       Place place = Place::current());

  // Computes the reduction `stage` in a register tile of the consumer's loops (one factor per loop;
  // the last is the vector dimension): splits the loops, packs the weight that the stage reads
  // along the vector dimension, computes the stage at the tile, moves its reduction loop outside of
  // the tile, vectorizes the innermost loops and unrolls the rest. Where the loops are those of an
  // output that is accumulated in place, the output gets a local stage first.
  RegisterTile register_tile(std::string_view stage, const std::vector<Loop>& loops,
                             const Factors& factors, Place place = Place::current());

 private:
  class Derived;  // a derived step in progress

  // Runs one primitive on the current Program; an empty result when the schedule is refused, now or
  // before.
  template <class Primitive>
  auto run(const std::string& action, const std::vector<Loop>& loops, Place place,
           const Primitive& primitive);
  template <class Primitive>
  auto run_on_stage(const std::string& action, std::string_view stage,
                    const std::vector<Loop>& loops, Place place, const Primitive& primitive);
  void refuse_step(const absl::Status& refusal, const std::string& action, Place place);
  // Adds a step that changed the Program from `before`, and what it did to loops:
  // verb "split it into".
  struct Effect {
    std::vector<Var> made, consumed;
    std::string verb;
  };
  void record(const std::string& action, Place place, const Program& before,
              const Effect& effect = {});
  int next_number() const;
  // Replaces a loop by two: cut and fission.
  template <class Primitive>
  std::pair<Loop, Loop> divide(const std::string& action, Loop loop, Place place,
                               const std::string& verb, const Primitive& primitive);
  // Makes one loop of two: fuse and merge.
  template <class Primitive>
  Loop unite(const std::string& action, Loop a, Loop b, Place place, const std::string& verb,
             const Primitive& primitive);
  // Changes loops that stay.
  template <class Primitive>
  void change(const std::string& action, const std::vector<Loop>& loops, Place place,
              const Primitive& primitive);
  template <class Primitive>
  void mark(const std::string& action, Loop loop, Place place, const Primitive& primitive);
  // A derived step: a split by the factor, and one of its loops marked.
  template <class Mark>
  std::pair<Loop, Loop> split_and_mark(const std::string& name, Loop loop, const Factor& factor,
                                       Place place, const Mark& mark);
  // Changes a stage, and no loops.
  template <class Primitive>
  void change_stage(const std::string& action, std::string_view stage,
                    const std::vector<Loop>& loops, Place place, const Primitive& primitive);

  absl::Status require_loops(const std::vector<Loop>& loops) const;
  absl::Status wrong_count(std::string_view stage, const std::vector<Loop>& found,
                           size_t count) const;
  const Step* step_that_consumed(const Var& var) const;
  // The names of program_, or of the Program that it was when they were last asked for.
  Names& names_in(const Program& program) const;
  std::string name_of(const Loop& loop) const;
  std::string names_of(const std::vector<Loop>& loops) const;
  Expr with_sizes(const Expr& e) const;
  // The map as expressions over vars; empty when there is no map.
  std::vector<Expr> images_of(const IndexMap& map, const std::vector<Var>& vars) const;

  std::vector<Loop> find_loops(const char* query, std::string_view stage, bool reductions,
                               Place place);
  std::vector<Loop> counted_loops(std::string_view stage, size_t count, Place place);
  std::vector<Loop> counted_compute_at(std::string_view stage, Loop loop, size_t count,
                                       Place place);
  Staged stage_in_body(const std::string& action, std::string_view buffer,
                       const std::optional<Loop>& loop, Place place);

  Program program_;
  // To name everything takes longer than most steps do, so the names are kept with their Program.
  mutable Program named_;
  mutable Names names_;
  Sizes sizes_;
  Trace trace_;
  absl::Status status_;
  std::string derived_;  // the derived step that is being made, as text
};

template <size_t N>
std::array<Loop, N> Schedule::loops(std::string_view stage, Place place) {
  std::array<Loop, N> result;
  const std::vector<Loop> found = counted_loops(stage, N, place);
  for (size_t i = 0; i < N; ++i) result[i] = found[i];
  return result;
}

template <size_t N>
std::array<Loop, N> Schedule::compute_at(std::string_view stage, Loop loop, Place place) {
  std::array<Loop, N> result;
  const std::vector<Loop> found = counted_compute_at(stage, std::move(loop), N, place);
  for (size_t i = 0; i < N; ++i) result[i] = found[i];
  return result;
}

}  // namespace tenon
