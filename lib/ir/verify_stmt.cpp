#include <algorithm>

#include "ir/verifier.h"
#include "tenon/base/counted.h"
#include "tenon/base/match.h"
#include "tenon/ir/instruction.h"

namespace tenon {

void ProgramVerifier::check_stmt(const Stmt& s) {
  if (!error_.empty()) return;
  if (!require(static_cast<bool>(s), [] { return "a statement is missing (null)"; })) return;
  if (!s.is<Seq>()) statement_ = s;
  match(
      s.node().kind,  //
      [&](const Store& x) { check_store(x); }, [&](const Accumulate& x) { check_accumulate(x); },
      [&](const For& x) { check_for(x); }, [&](const If& x) { check_if(x); },
      [&](const Seq& x) { check_seq(x); }, [&](const Alloc& x) { check_alloc(x); },
      [&](const Bind& x) { check_bind(x); }, [&](const Call& x) { check_call(x); },
      [&](const Prefetch& x) { check_prefetch(x); });
}

void ProgramVerifier::check_for(const For& x) {
  check_expr(x.lo);
  check_expr(x.hi);
  if (!error_.empty()) return;
  check_index_type(x.lo, "lower bound");
  check_index_type(x.hi, "upper bound");
  if (x.kind == ForKind::kInstruction) check_instruction(x.kind.instruction());
  check_prefetches(x.kind);
  if (!require(static_cast<bool>(x.var), [] { return "the loop has no variable (null)"; })) return;
  require(x.var.type() == i64, [&] {
    return "the loop variable has type " + to_string(x.var.type()) + "; it must be i64";
  });
  const size_t mark = declared_.size();
  require(declare(x.var), [&] {
    return "variable " + names().of(x.var) + " is declared already; use another for this loop";
  });
  vector_loops_ += x.kind == ForKind::kVector;
  check_stmt(x.body);
  vector_loops_ -= x.kind == ForKind::kVector;
  close_scope(mark);
}

void ProgramVerifier::check_instruction(const Instruction& instruction) {
  if (!require(static_cast<bool>(instruction), [] { return "the instruction is missing (null)"; }))
    return;
  require(instruction->status.ok(), [&] { return std::string(instruction->status.message()); });
}

// Parameters outlive every step of a schedule; a local buffer may move into the loop.
void ProgramVerifier::check_prefetches(const LoopKind& kind) {
  for (const Ahead& ahead : kind.prefetches()) {
    require(static_cast<bool>(ahead.buffer),
            [] { return "a prefetched buffer is missing (null)"; });
    if (!error_.empty()) return;
    require(find_param(program_, ahead.buffer) != nullptr,
            [&] { return text(ahead.buffer) + " is prefetched, and is no parameter"; });
    require(1 <= ahead.iterations && ahead.iterations <= kMaxAhead, [&] {
      return text(ahead.buffer) + " is prefetched " + std::to_string(ahead.iterations) +
             " iterations ahead; it must be 1 to " + std::to_string(kMaxAhead);
    });
  }
}

void ProgramVerifier::check_prefetch(const Prefetch& x) {
  for (const Expr& index : x.indices) check_expr(index);
  if (!error_.empty()) return;
  require(find_param(program_, x.buffer) != nullptr,
          [&] { return text(x.buffer) + " is prefetched, and is no parameter"; });
  const int32_t lanes = error_.empty() ? check_access(x.buffer, x.indices) : 1;
  require(lanes == 1, [] { return "a prefetch names one element"; });
}

void ProgramVerifier::check_if(const If& x) {
  check_expr(x.condition);
  if (!error_.empty()) return;
  require(x.condition.type() == boolean, [&] {
    return "the condition " + text(x.condition) + " has type " + to_string(x.condition.type()) +
           "; it must be bool with one lane";
  });
  const size_t mark = declared_.size();
  check_stmt(x.body);
  close_scope(mark);
}

void ProgramVerifier::check_seq(const Seq& x) {
  const size_t mark = declared_.size();
  for (const Stmt& part : x.stmts) {
    require(!part.is<Seq>(),
            [] { return "a sequence directly holds another one; make sequences with seq()"; });
    check_stmt(part);
  }
  close_scope(mark);
}

void ProgramVerifier::check_alloc(const Alloc& x) {
  if (!require(static_cast<bool>(x.buffer), [] { return "the buffer is missing (null)"; })) return;
  require(!x.buffer.definition(),
          [] { return "the buffer still has a definition; a Program's buffers have none"; });
  require(!x.buffer.type().is_vector(), [&] {
    return "the elements have type " + to_string(x.buffer.type()) + "; elements have one lane";
  });
  require(x.shape.size() <= kMaxRank, [&] {
    return "the buffer has " + std::to_string(x.shape.size()) + " dimensions; at most " +
           std::to_string(kMaxRank) + " are supported";
  });
  for (const Expr& extent : x.shape) {
    check_expr(extent);
    if (error_.empty()) check_index_type(extent, "extent");
  }
  if (x.offset) {
    check_expr(x.offset);
    if (error_.empty()) check_index_type(x.offset, "offset");
    require(x.memory == Memory::kShared || x.memory == Memory::kWorker,
            [] { return "an offset needs shared or worker memory"; });
  }
  require(declare(x.buffer, x.shape, Role::kOutput), [&] {
    return "buffer " + text(x.buffer) + " is declared already; give each copy its own buffer";
  });
}

void ProgramVerifier::check_bind(const Bind& x) {
  check_expr(x.value);
  if (!error_.empty()) return;
  if (!require(static_cast<bool>(x.var), [] { return "the let has no variable (null)"; })) return;
  require(x.var.type() == x.value.type(), [&] {
    return "the name has type " + to_string(x.var.type()) + " and the value " +
           to_string(x.value.type()) + "; both must have the same type";
  });
  require(declare(x.var),
          [&] { return "variable " + names().of(x.var) + " is declared already; use another"; });
}

void ProgramVerifier::check_call(const Call& x) {
  require(vector_loops_ == 0, [&] {
    return x.function.name + " is called inside a vector loop, and a C function has no lanes";
  });
  check_name(x.function.name, "extern function");
  require(!x.writes.empty(), [] { return "the call writes nothing"; });
  const auto [known, is_new] = externs_.try_emplace(x.function.name, x.function);
  require(is_new || known->second == x.function,
          [&] { return "two extern functions are named " + x.function.name; });
  for (const std::vector<CallRegion>* parts : {&x.writes, &x.reads}) {
    for (const CallRegion& part : *parts) check_region(part, parts == &x.writes);
  }
  const std::vector<CallRegion> all = regions_of(x);
  for (size_t a = 0; a < x.writes.size() && error_.empty(); ++a) {
    for (size_t b = a + 1; b < all.size(); ++b) {
      require(!(all[a].buffer == all[b].buffer), [&] {
        return "the call writes " + text(all[a].buffer) + ", which is given to it twice";
      });
    }
  }
}

void ProgramVerifier::check_region(const CallRegion& part, bool is_target) {
  std::vector<Expr> firsts;
  for (const CallRegion::Range& range : part.ranges) {
    firsts.push_back(range.lo);
    check_expr(range.lo);
    if (range.hi) check_expr(range.hi);
    if (!error_.empty()) return;
    check_index_type(range.lo, "first index");
    if (range.hi) check_index_type(range.hi, "end");
  }
  for (const Expr& stride : part.strides) {
    check_expr(stride);
    if (error_.empty()) check_index_type(stride, "stride");
  }
  if (!error_.empty()) return;
  // A flat buffer has one dimension, and the call is given those that it had.
  if (!part.strides.empty()) {
    require(part.strides.size() == part.ranges.size(), [&] {
      return text(part.buffer) + " is given with " + counted(part.ranges.size(), "dimension") +
             " and " + counted(part.strides.size(), "stride");
    });
    firsts.assign(1, constant_int(i64, 0));
  }
  if (!error_.empty()) return;
  if (is_target) {
    check_target(part.buffer, firsts, part.buffer.type());
  } else {
    check_access(part.buffer, firsts);
  }
}

void ProgramVerifier::check_parts(const std::vector<Expr>& indices, std::span<const Expr> values,
                                  const Expr& mask) {
  for (const Expr& index : indices) check_expr(index);
  for (const Expr& value : values) check_expr(value);
  if (mask) check_expr(mask);
}

int32_t ProgramVerifier::check_target(const Buffer& buffer, const std::vector<Expr>& indices,
                                      Type type) {
  if (!error_.empty()) return 1;
  const int32_t lanes = check_access(buffer, indices);
  if (!error_.empty()) return 1;
  const Declared& declared = buffers_.at(buffer.id());
  require(is_written(declared.role), [&] {
    return text(buffer) + " is " +
           (declared.is_table               ? "a table"
            : declared.role == Role::kInput ? "an input"
                                            : "a weight") +
           " and cannot be written; write an output, an inout or a local buffer";
  });
  require(type.element() == buffer.type(), [&] {
    return "the value has type " + to_string(type.element()) + " and " + declaration(buffer) +
           " holds " + to_string(buffer.type()) + "; cast the value";
  });
  return lanes;
}

std::string ProgramVerifier::lanes_and_elements(const Expr& value, int32_t elements) {
  return "the value has " + counted(value.type().lanes, "lane") + " and the indices name " +
         counted(elements, "element");
}

void ProgramVerifier::check_mask(const Expr& mask, int32_t lanes) {
  if (!mask) return;
  require(mask.type().is_bool() && (mask.type().lanes == 1 || mask.type().lanes == lanes), [&] {
    return "the mask " + text(mask) + " has type " + to_string(mask.type()) + "; it must be " +
           to_string(boolean.with_lanes(lanes));
  });
}

void ProgramVerifier::check_store(const Store& x) {
  check_parts(x.indices, {&x.value, 1}, x.mask);
  const int32_t lanes = check_target(x.buffer, x.indices, x.value.type());
  if (!error_.empty()) return;
  require(x.value.type().lanes == 1 || x.value.type().lanes == lanes, [&] {
    return lanes_and_elements(x.value, lanes) + "; a store writes one element for each lane";
  });
  check_mask(x.mask, lanes);
}

void ProgramVerifier::check_accumulate(const Accumulate& x) {
  check_parts(x.indices, x.values, x.mask);
  if (!error_.empty()) return;
  x.by.functions() ? check_functions(x, *x.by.functions()) : check_operator(x);
  if (!error_.empty()) return;
  int32_t targets = 1, lanes = 1;
  for (size_t i = 0; i < x.buffers.size(); ++i) {
    const Type type =
        x.by.functions() ? x.by.functions()->state[i].type() : x.values[i].type().element();
    targets = check_target(x.buffers[i], x.indices, type);
  }
  if (!error_.empty()) return;
  // Many lanes may fold into one element, but not into several.
  for (const Expr& value : x.values) {
    lanes = std::max(lanes, value.type().lanes);
    require(targets == 1 || value.type().lanes == 1 || value.type().lanes == targets, [&] {
      return lanes_and_elements(value, targets) + "; both need the same number, or one element";
    });
  }
  check_mask(x.mask, std::max(targets, lanes));
}

void ProgramVerifier::check_operator(const Accumulate& x) {
  require(x.buffers.size() == 1 && x.values.size() == 1, [&] {
    return std::string("the reducer ") + name_of(x.by.op()) + " has one buffer and one value";
  });
  if (!error_.empty()) return;
  require(!x.value().type().is_bool(),
          [] { return "an accumulation takes numbers, not bool; store a value made with & or |"; });
}

void ProgramVerifier::check_functions(const Accumulate& x, const CustomReducer& functions) {
  require(functions.status.ok(), [&] { return std::string(functions.status.message()); });
  const auto number = [&](size_t given, size_t needed, const char* what) {
    require(given == needed, [&] {
      return "reducer " + functions.name + " has " + counted(needed, what) + ", and " +
             counted(given, "is", "are") + " given";
    });
  };
  number(x.buffers.size(), functions.state.size(), "result");
  number(x.values.size(), functions.element.size(), "value");
  for (size_t i = 0; i < x.buffers.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      require(!(x.buffers[i] == x.buffers[k]), [&] {
        return "the results need buffers of their own; " + text(x.buffers[i]) + " is named twice";
      });
    }
  }
  if (!error_.empty()) return;
  for (size_t v = 0; v < x.values.size(); ++v) {
    require(x.values[v].type().element() == functions.element[v].type(), [&] {
      return "value " + std::to_string(v) + " of reducer " + functions.name + " has type " +
             to_string(x.values[v].type().element()) + "; it must be " +
             to_string(functions.element[v].type());
    });
  }
}

}  // namespace tenon
