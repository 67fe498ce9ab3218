#include <algorithm>

#include "analysis/conflict.h"
#include "analysis/text.h"
#include "tenon/ir/operators.h"
#include "tenon/ir/visit.h"

namespace tenon {

using Named = std::vector<std::pair<Var, int64_t>>;

namespace {

// The values of the loops that both accesses are in.
Named common(const Conflict& c, const Named& values) {
  const std::vector<For> loops = common_loops(*c.a, *c.b);
  Named shared;
  for (const auto& value : values) {
    for (const For& loop : loops) {
      if (loop.var == value.first) shared.push_back(value);
    }
  }
  return shared;
}

// "(i = 0, k = 1)"
std::string iteration(const Conflict& c, const Named& values, const Program& within) {
  return "(" + text_of(common(c, values), within) + ")";
}

// "C[0, 1]", "C[0, 1], with n = 2"
std::string cell(const Conflict& c, const Program& within) {
  std::string text = element(c.a->buffer, c.meeting.element, within);
  if (!c.meeting.sizes.empty()) text += ", with " + text_of(c.meeting.sizes, within);
  return text;
}

absl::Status explain_witness(const Conflict& c, const Program& within, std::string_view of_a,
                             std::string_view of_b) {
  return refuse("iteration " + iteration(c, c.meeting.a_values, within) + std::string(of_a) +
                " must run before " + iteration(c, c.meeting.b_values, within) + std::string(of_b) +
                ": both touch " + cell(c, within));
}

// The indices of b one step further in the directions asked about.
std::vector<Expr> shifted_indices(const Conflict& c) {
  VarMap shift;
  const std::vector<For> loops = common_loops(*c.a, *c.b);
  for (size_t i = 0; i < loops.size() && i < c.directions.size(); ++i) {
    const Var& var = loops[i].var;
    if (c.directions[i] == Ordering::kGreater) shift.emplace(var, Expr(var) + 1);
    if (c.directions[i] == Ordering::kLess) shift.emplace(var, Expr(var) - 1);
  }
  std::vector<Expr> indices;
  for (const Expr& e : c.b->indices) indices.push_back(substitute(e, shift));
  return indices;
}

// "idx is data", "i*n is a product of unknowns"
std::string why_open(const std::vector<Expr>& open, const Program& within) {
  for (const Expr& e : open) {
    std::string data;
    walk(e, [&](const Expr& x) {
      if (const Load* l = x.as<Load>(); l && data.empty()) data = text_of(l->buffer, within);
    });
    if (!data.empty()) return ": " + data + " is data";
  }
  return open.empty() ? ""
                      : ": " + text_of(open.front(), within) + " is not linear in what is known";
}

// With numbers for the sizes that they multiply, all of them are linear: then the answer is known.
std::vector<std::string> with_values(const std::vector<Expr>& open, const Program& within) {
  if (std::any_of(open.begin(), open.end(), touches_memory)) return {};
  std::string sizes;
  for (const Var& size : within->sizes) {
    const auto has_size = [&](const Expr& e) { return uses(e, size); };
    if (std::none_of(open.begin(), open.end(), has_size)) continue;
    sizes += (sizes.empty() ? "" : ", ") + std::string("{") + text_of(size, within) + ", ...}";
  }
  if (sizes.empty()) return {};
  return {"Schedule(program, {" + sizes + "}), where it is known"};
}

absl::Status explain_unknown(const Conflict& c, const Program& within) {
  const std::vector<Expr> indices = shifted_indices(c);
  std::string reason = "cannot tell whether " + element(c.a->buffer, c.a->indices, within) +
                       " and " + element(c.b->buffer, indices, within) + " are different elements";
  std::vector<std::string> missing;
  for (size_t d = 0; d < indices.size(); ++d) {
    if (!equal(indices[d], c.a->indices[d]))
      missing.push_back(text_of(c.a->indices[d] != indices[d], within));
  }
  // Any one of several differences would do, and no single one can be called missing.
  if (missing.size() != 1) missing.clear();
  return refuse(reason + why_open(c.meeting.open, within), std::move(missing),
                with_values(c.meeting.open, within));
}

}  // namespace

absl::Status explain(const Conflict& c, const Program& within, std::string_view of_a,
                     std::string_view of_b) {
  return c.meeting.answer == Answer::kYes ? explain_witness(c, within, of_a, of_b)
                                          : explain_unknown(c, within);
}

std::string both_accumulate(const Conflict& c, const Program& within) {
  if (c.meeting.answer != Answer::kYes || !commute(*c.a, *c.b, false)) return "";
  return "iterations " + iteration(c, c.meeting.a_values, within) + " and " +
         iteration(c, c.meeting.b_values, within) + " both accumulate into " + cell(c, within);
}

}  // namespace tenon
