#include "tenon/jit/explain.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "jit/kernel_impl.h"
#include "tenon/base/macros.h"
#include "tenon/ir/instruction.h"
#include "tenon/ir/names.h"
#include "tenon/ir/visit.h"
#include "tenon/lower/lower.h"

namespace tenon {
namespace {

// --- Work.

// Operations on elements; indices are not counted.
int64_t operations_in(const Expr& e) {
  if (e.is<Load>()) return 0;
  const bool counts = e.is<Unary>() || e.is<Binary>();
  int64_t count = counts ? e.type().lanes : 0;
  for_each_child(e, [&](const Expr& child) { count += operations_in(child); });
  return count;
}

std::optional<int64_t> extent_of(const For& loop) {
  const std::optional<int64_t> lo = as_int(loop.lo), hi = as_int(loop.hi);
  return lo && hi ? std::optional(std::max<int64_t>(*hi - *lo, 0)) : std::nullopt;
}

// In a run of s; empty where the bounds of a loop are not constant.
std::optional<int64_t> operations_in(const Stmt& s) {
  if (const For* loop = s.as<For>()) {
    const std::optional<int64_t> each = operations_in(loop->body), times = extent_of(*loop);
    if (!each || !times) return std::nullopt;
    return *each * *times;
  }
  int64_t count = 0;
  if (const Store* x = s.as<Store>()) count = operations_in(x->value);
  if (const Accumulate* a = s.as<Accumulate>()) {
    for (const Expr& value : a->values) count += operations_in(value) + 1;
  }
  bool known = true;
  for_each_child(
      s, [](const Expr&) {},
      [&](const Stmt& part) {
        const std::optional<int64_t> inside = operations_in(part);
        known = known && inside;
        count += inside.value_or(0);
      });
  return known ? std::optional(count) : std::nullopt;
}

std::optional<int64_t> bytes_of_arguments(const Program& program) {
  int64_t bytes = 0;
  for (const Param& param : program->params) {
    if (!param.buffer) continue;
    int64_t elements = 1;
    for (const Expr& extent : param.shape) {
      const std::optional<int64_t> size = as_int(extent);
      if (!size) return std::nullopt;
      elements *= *size;
    }
    bytes += elements * param.buffer.type().bytes();
  }
  return bytes;
}

// --- Guards in what lowering left of the loops.

class GuardFinder {
 public:
  explicit GuardFinder(const Program& lowered) : names_(lowered) { visit(lowered->body, 1); }

  double share() const { return iterations_ == 0 ? 0 : guarded_ / iterations_; }
  std::vector<std::string> lines() && { return std::move(lines_); }

 private:
  // `times` counts the runs of s; a loop of unknown length counts as if it ran a hundred times.
  void visit(const Stmt& s, double times) {
    const For* loop = s.as<For>();
    if (!loop) {
      for_each_child(
          s, [](const Expr&) {}, [&](const Stmt& part) { visit(part, times); });
      return;
    }
    times *= static_cast<double>(extent_of(*loop).value_or(100));
    bool innermost = true;
    walk(loop->body, [&](const Stmt& part) { innermost = innermost && !part.is<For>(); });
    if (!innermost) return visit(loop->body, times);
    iterations_ += times;
    if (find_guards(loop->body)) guarded_ += times;
  }

  // Adds what is guarded in this body; is there anything?
  bool find_guards(const Stmt& body) {
    bool found = false;
    walk(body, [&](const Stmt& s) {
      bool masked = s.is<If>();
      if (const Store* x = s.as<Store>()) masked = masked || x->mask || loads_masked(x->value);
      if (const Bind* x = s.as<Bind>()) masked = masked || loads_masked(x->value);
      if (const Accumulate* a = s.as<Accumulate>()) {
        masked = masked || a->mask;
        for (const Expr& value : a->values) masked = masked || loads_masked(value);
      }
      if (!masked) return;
      const std::string line = headline(s, names_);
      found = true;
      if (std::find(lines_.begin(), lines_.end(), line) == lines_.end()) lines_.push_back(line);
    });
    return found;
  }

  static bool loads_masked(const Expr& e) {
    return any_in(e, [](const Expr& part) {
      const Load* x = part.as<Load>();
      return x && x->mask;
    });
  }

  Names names_;
  double iterations_ = 0, guarded_ = 0;
  std::vector<std::string> lines_;
};

// --- Instructions that did not come about.

std::vector<std::string> left_as_loops(const Program& scheduled, const Program& lowered,
                                       const Target& target) {
  std::vector<std::string> left;
  const std::vector<Instruction> made = instructions_of(lowered->body);
  for (const Instruction& wanted : instructions_of(scheduled->body)) {
    if (std::find(made.begin(), made.end(), wanted) != made.end()) continue;
    std::string missing;
    for (const std::string& feature : wanted->needs) {
      if (!target.has(feature)) missing += (missing.empty() ? "" : ", ") + feature;
    }
    left.push_back(wanted->name + (missing.empty() ? ": a guard is in the way, or a later step"
                                                   : ": the target has no " + missing));
  }
  return left;
}

// --- Machine code.

// Vectors that were put aside and are taken back: "vmovups 32(%rsp), %ymm0".
int vectors_reloaded(const std::string& assembly) {
  int reloads = 0;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    const auto has = [&](const char* text) { return line.find(text) != std::string::npos; };
    reloads += (has("(%rsp),") || has("(%rbp),")) && (has("%xmm") || has("%ymm") || has("%zmm"));
  }
  return reloads;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text.empty() ? "none" : text;
}

std::string as_text(const std::optional<int64_t>& count) {
  return count ? std::to_string(*count) : "(symbolic sizes)";
}

}  // namespace

absl::StatusOr<Explanation> Kernel::explain() const {
  if (!impl_) return absl::FailedPreconditionError("an empty tenon::Kernel is explained");
  const Target& target = impl_->core->options().target;
  TENON_ASSIGN_OR_RETURN(const std::shared_ptr<const KernelImpl> again,
                         impl_->core->compile(impl_->core, impl_->scheduled, impl_->strides, true));
  Explanation e;
  e.kernel = name();
  e.target = target.to_string();
  e.code_bytes = code_bytes();
  e.compile_ms = times().total;
  e.lower_ms = times().lower;
  e.operations = operations_in(impl_->scheduled->body);
  for (const ExternFunction& one : externs_of(impl_->scheduled->body)) e.calls.push_back(one.name);
  e.argument_bytes = bytes_of_arguments(impl_->scheduled);
  const WorkspaceSize scratch = workspace();
  e.shared_bytes = static_cast<int64_t>(scratch.shared_bytes);
  e.bytes_per_worker = static_cast<int64_t>(scratch.bytes_per_worker);
  e.arrays_in_memory = surviving_allocas();
  e.left_as_loops = left_as_loops(impl_->scheduled, lowered(), target);
  e.vectors_reloaded = vectors_reloaded(again->code->assembly());
  GuardFinder guards(lowered());
  e.guarded = guards.share();
  e.guards = std::move(guards).lines();
  e.hints = lint(impl_->scheduled, target);
  return e;
}

std::ostream& operator<<(std::ostream& out, const Explanation& e) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1);
  text << e.kernel << " for " << e.target << ": " << e.code_bytes << " bytes of code, compiled in "
       << e.compile_ms << " ms (lower " << e.lower_ms << ", LLVM " << e.compile_ms - e.lower_ms
       << ")\n";
  text << "  work in a call: at most " << as_text(e.operations) << " operations, "
       << as_text(e.argument_bytes) << " bytes of arguments\n";
  if (!e.calls.empty()) {
    text << "  not counted: what " << joined(e.calls) << (e.calls.size() == 1 ? " does" : " do")
         << " when called\n";
  }
  text << "  workspace: " << e.shared_bytes << " bytes, and " << e.bytes_per_worker
       << " for each worker\n";
  text << "  arrays in memory: " << joined(e.arrays_in_memory)
       << "; vectors taken back from the stack: " << e.vectors_reloaded << "\n";
  for (const std::string& line : e.left_as_loops) text << "  left as loops: " << line << "\n";
  if (e.guards.empty()) {
    text << "  no guard and no mask in an innermost loop\n";
  } else {
    text << "  guards or masks run in " << e.guarded * 100 << " of 100 innermost iterations:\n";
    for (const std::string& line : e.guards) text << "    " << line << "\n";
  }
  for (const Hint& hint : e.hints) text << hint;
  return out << text.str();
}

}  // namespace tenon
