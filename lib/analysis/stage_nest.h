// A stage as a place computes it: the nest that writes it, and what stands around that.
#pragma once

#include <string>
#include <vector>

#include "analysis/place.h"
#include "tenon/analysis/access.h"
#include "tenon/base/status.h"
#include "tenon/ir/program.h"

namespace tenon {

// A stage, those that are reduced together with it, and their names in messages.
struct Stage {
  const Program& program;
  Buffer buffer;
  std::vector<Buffer> all;  // with the stage itself, which comes first
  // What the step does, for advice: "compute", " at a loop". Names cost a walk over the program, so
  // they are looked for when there is something to say.
  const char* verb = "";
  const char* place = "";

  bool holds(const Buffer& b) const;
  std::string name() const;
  std::string name_of(const Var& var) const;
  std::string name_of(const Buffer& b) const;
  // "t", or "at, which is reduced together with best,": the subject of a sentence about one of all.
  std::string subject(const Buffer& b) const;
  // "compute t at a loop", in "compute t at a loop before ..."
  std::string advice() const { return std::string(verb) + " " + name() + place; }
};

// Refuses parameters, and buffers that the Program does not declare.
absl::StatusOr<Stage> local_stage(const Program& program, const Buffer& buffer);

bool writes(const Stmt& s, const Buffer& buffer);
bool writes(const Stmt& s, const Stage& stage);
std::vector<Access> own_accesses(std::vector<Access> accesses, const Stage& stage);

// The loop of the nest over each dimension, the same one in every access of the stage (`own`), from
// 0 to the extent that is declared, and no vector. With `elsewhere`, the facts of another place, a
// loop may also run over a part of the dimension, if its bounds are known there.
absl::StatusOr<std::vector<For>> stage_loops(const std::vector<Access>& own, const Stage& stage,
                                             const Facts* elsewhere = nullptr);

// The nest changes the stage alone. What it keeps for itself must not pass values from one element
// of the stage to another: then computing only some of them would change the others.
absl::Status writes_only(const std::vector<Access>& nest, const Stage& stage,
                         const std::vector<For>& loops);

// --- A stage that is computed where it is declared.

struct DeclaredNest {
  Place declaration;          // of the stage
  std::vector<For> around;    // the loops around it, outermost first
  Facts facts;                // what is known there
  Stmt nest;                  // the one statement behind it that writes the stage
  std::vector<Stmt> readers;  // the statements behind the nest
  std::vector<Stmt> before;   // those between the declaration and the nest
  std::vector<For> loops;     // of the nest, one per dimension
};
// One nest behind the declaration of the stage, in the same sequence, computes all of it;
// everything else that uses it stands behind the nest and reads. The rules of stage_loops and
// writes_only hold.
absl::StatusOr<DeclaredNest> declared_nest(const Stage& stage);

}  // namespace tenon
