// The search for a pair of accesses whose order matters.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/analysis/dependence.h"
#include "tenon/base/status.h"
#include "tenon/ir/stmt.h"

namespace tenon {

// Two accesses a(v) and b(v + d), d in `directions`, that touch the same element, or for which that
// could not be excluded.
struct Conflict {
  const Access* a;
  const Access* b;
  std::vector<Ordering> directions;
  Meeting meeting;
};

// Which pairs may change places, both orders being as good.
using Exchange = std::function<bool(const Access&, const Access&)>;
bool reads_only(const Access& a, const Access& b);          // only two reads
bool same_accumulations(const Access& a, const Access& b);  // also those with the same reducer

// The accesses of a statement that can conflict at all, ready for many questions.
class Dependences {
 public:
  // `facts` are those of the place where s stands.
  Dependences(const Stmt& s, const Facts& facts);
  // Pairs of an access in `s` and one in `t` only.
  Dependences(const Stmt& s, const Stmt& t, const Facts& facts);

  // The first conflict a(v), b(v + d) with d in `directions`. What may change places is none; when
  // accumulations of floats do, and can meet, reassociates() becomes true.
  std::optional<Conflict> find(const std::vector<Ordering>& directions, const Exchange& exchange);
  bool reassociates() const { return reassociates_; }

  const std::vector<Access>& accesses() const { return accesses_; }

 private:
  void pair_up(size_t end_of_a, size_t begin_of_b);

  Facts facts_;
  std::vector<Access> accesses_;
  // Ordered pairs on one buffer, one of them not a read.
  std::vector<std::pair<const Access*, const Access*>> pairs_;
  bool reassociates_ = false;
};

// The refusal that explains a conflict: "iteration (i = 0, k = 1) must run before (i = 1, k = 0):
// both touch C[0, 1]", or what is not known.
// What the iterations are of may be added: " of the first loop".
absl::Status explain(const Conflict& conflict, const Program& within, std::string_view of_a = "",
                     std::string_view of_b = "");
// For iterations that would run at the same time: "iterations (k = 0) and (k = 1) both accumulate
// into C[0, 0]". Empty unless that is what happens.
std::string both_accumulate(const Conflict& conflict, const Program& within);

}  // namespace tenon
