#include "ir/grammar.h"
#include "ir/verifier.h"
#include "tenon/base/counted.h"
#include "tenon/ir/fold.h"
#include "tenon/ir/visit.h"

namespace tenon {

absl::Status verify(const Program& program) { return ProgramVerifier(program).run(); }

absl::Status ProgramVerifier::run() {
  if (!program_) return refuse("the Program is empty (null)");
  if (!program_->error.empty()) return refuse(program_->error);
  check_names();
  for (const Var& size : program_->sizes) check_size(size);
  for (const Param& param : program_->params) check_param(param);
  for (const Table& table : program_->tables) check_table(table);
  part_.clear();
  for (const Expr& e : program_->requirements) check_requirement(e);
  part_.clear();
  for (const Param& param : program_->params) {
    if (param.scalar) declare(param.scalar);
  }
  require(static_cast<bool>(program_->body), [] { return "the body is missing (null)"; });
  if (error_.empty()) check_stmt(program_->body);
  return error_.empty() ? absl::OkStatus() : refuse(error_);
}

Names& ProgramVerifier::names() {
  if (!names_) names_.emplace(program_);
  return *names_;
}

void ProgramVerifier::fail(const std::string& message) {
  if (!error_.empty()) return;
  if (statement_) {
    error_ = "in `" + shortened(headline(*statement_, names())) + "`: " + message;
  } else {
    error_ = part_.empty() ? message : part_ + ": " + message;
  }
}

// The text of a large expression would bury the message.
std::string ProgramVerifier::shortened(std::string text) {
  constexpr size_t kLimit = 200;
  return text.size() <= kLimit ? text : text.substr(0, kLimit) + " ...";
}

bool ProgramVerifier::declare(const Var& var) {
  declared_.push_back(var.id());
  vars_.insert(var.id());
  return all_vars_.insert(var.id()).second;
}

bool ProgramVerifier::declare(const Buffer& buffer, const std::vector<Expr>& shape, Role role) {
  declared_.push_back(buffer.id());
  return buffers_.emplace(buffer.id(), Declared{&shape, role}).second;
}

void ProgramVerifier::close_scope(size_t mark) {
  for (; declared_.size() > mark; declared_.pop_back()) {
    vars_.erase(declared_.back());
    buffers_.erase(declared_.back());
  }
}

std::string ProgramVerifier::declaration(const Buffer& buffer) {
  return text(buffer) + ": " + shape_text(buffer.type(), *buffers_.at(buffer.id()).shape, names());
}

// --- Parameters, sizes and requirements. Names reach callers and the text form, so they are
// --- identifiers and distinct.

void ProgramVerifier::check_names() {
  const ProgramData& p = *program_;
  check_name(p.name, "program");
  std::set<std::string> seen;
  const auto check_distinct = [&](const std::string& name) {
    require(seen.insert(name).second, [&] {
      return "the name " + name + " stands for two sizes, parameters or tables; each needs its own";
    });
  };
  for (const Var& size : p.sizes) {
    if (!require(static_cast<bool>(size), [] { return "a size is missing (null)"; })) return;
    check_name(size.name(), "size");
    check_distinct(size.name());
  }
  for (const Param& param : p.params) {
    const bool is_scalar = param.role == Role::kScalar;
    if (!require(static_cast<bool>(param.buffer) != static_cast<bool>(param.scalar) &&
                     is_scalar == static_cast<bool>(param.scalar),
                 [] {
                   return "a parameter must be a scalar with a variable, or an input, weight, "
                          "output or inout with a buffer";
                 })) {
      return;
    }
    check_name(param.name(), "parameter");
    check_distinct(param.name());
  }
  for (const Table& table : p.tables) {
    if (!require(table.buffer && table.bits,
                 [] { return "a table needs a buffer and values (one is null)"; })) {
      return;
    }
    check_name(table.buffer.name(), "table");
    check_distinct(table.buffer.name());
  }
}

void ProgramVerifier::check_name(const std::string& name, const std::string& what) {
  require(is_identifier(name), [&] {
    return what + " name \"" + name +
           "\" must be made of letters, digits and underscores and not start with a digit";
  });
  require(!is_reserved(name), [&] {
    return what + " name " + name + " has a meaning of its own in program text; choose another";
  });
}

void ProgramVerifier::check_size(const Var& size) {
  if (!error_.empty()) return;
  require(size.type() == i64, [&] {
    return "size " + size.name() + " has type " + to_string(size.type()) + "; sizes are i64";
  });
  declare(size);
}

void ProgramVerifier::check_param(const Param& param) {
  if (!error_.empty()) return;
  part_ = "parameter " + param.name();
  const Type type = param.buffer ? param.buffer.type() : param.scalar.type();
  require(!type.is_vector(),
          [&] { return "has type " + to_string(type) + "; elements and scalars have one lane"; });
  if (param.scalar) {
    require(param.shape.empty() && param.strides.empty() && !param.packing && !param.streamed,
            [] { return "a scalar has no shape, strides or packing, and is not streamed"; });
    return;
  }
  check_shape_of(param);
  check_packing(param);
  require(!param.streamed || is_written(param.role),
          [] { return "only what is written can be streamed"; });
  declare(param.buffer, param.shape, param.role);
}

void ProgramVerifier::check_shape_of(const Param& param) {
  require(!param.buffer.definition(),
          [] { return "its buffer still has a definition; a Program's buffers have none"; });
  require(param.shape.size() <= kMaxRank, [&] {
    return "has " + std::to_string(param.shape.size()) + " dimensions; at most " +
           std::to_string(kMaxRank) + " are supported";
  });
  for (const Expr& extent : param.shape) {
    check_over_sizes(extent, "extent");
    require(!extent || as_int(fold_constants(extent)).value_or(0) >= 0,
            [&] { return "the extent " + text(extent) + " must be at least 0"; });
  }
  require(param.strides.empty() || param.strides.size() == param.shape.size(), [&] {
    return "has " + counted(param.strides.size(), "stride") + " and " +
           counted(param.shape.size(), "dimension") + "; give one stride for each, or none";
  });
  for (const Expr& stride : param.strides) check_over_sizes(stride, "stride");
}

void ProgramVerifier::check_packing(const Param& param) {
  if (!param.packing || !error_.empty()) return;
  const Packing& packing = *param.packing;
  require(param.role == Role::kWeight, [] { return "only a weight can be packed"; });
  require(packing.vars.size() == packing.logical_shape.size(), [&] {
    return "its packing has " + counted(packing.vars.size(), "variable") + " and " +
           counted(packing.logical_shape.size(), "logical dimension") +
           "; give one variable for each";
  });
  require(packing.map.size() == param.shape.size(), [&] {
    return "its packing maps to " + counted(packing.map.size(), "dimension") + " and it has " +
           std::to_string(param.shape.size()) + "; give one expression for each";
  });
  for (const Expr& extent : packing.logical_shape) check_over_sizes(extent, "logical extent");
  const size_t mark = declared_.size();
  for (const Var& var : packing.vars) {
    require(var && var.type() == i64 && declare(var),
            [] { return "the variables of its packing must be distinct and i64"; });
  }
  for (const Expr& e : packing.map) check_over_sizes(e, "packed index");
  close_scope(mark);
}

// As many values as elements, and each a value of the type as Const holds it.
void ProgramVerifier::check_table(const Table& table) {
  if (!error_.empty()) return;
  part_ = "table " + table.buffer.name();
  const Type type = table.buffer.type();
  require(!type.is_vector() && !table.buffer.definition(), [&] {
    return "its elements must have one lane, and its buffer no definition; they have type " +
           to_string(type);
  });
  require(table.shape.size() <= kMaxRank, [&] {
    return "has " + std::to_string(table.shape.size()) + " dimensions; at most " +
           std::to_string(kMaxRank) + " are supported";
  });
  int64_t elements = 1;
  for (const Expr& extent : table.shape) {
    const std::optional<int64_t> value =
        extent && extent.type() == i64 ? as_int(extent) : std::nullopt;
    if (!require(value && *value >= 0, [] { return "its extents are constants of at least 0"; })) {
      return;
    }
    if (__builtin_mul_overflow(elements, *value, &elements)) elements = INT64_MAX;
  }
  require(elements <= kMaxTableElements, [&] {
    return "has " + std::to_string(elements) + " elements; at most " +
           std::to_string(kMaxTableElements) + " are part of a program: pass it as a weight";
  });
  require(static_cast<size_t>(elements) == table.bits->size(), [&] {
    return "has " + counted(table.bits->size(), "value") + " for " + counted(elements, "element");
  });
  const int width = type.is_bool() ? 1 : 8 * type.bytes();
  for (const uint64_t bits : *table.bits) {
    require(width == 64 || bits >> width == 0,
            [&] { return "a value has bits outside of " + to_string(type); });
  }
  declare(table.buffer, table.shape, Role::kInput);
  if (error_.empty()) buffers_.at(table.buffer.id()).is_table = true;
}

void ProgramVerifier::check_requirement(const Expr& e) {
  if (!error_.empty()) return;
  part_ = "a requirement";
  if (e && !e.is<Invalid>()) part_ = "requirement " + text(e);
  check_expr(e);
  if (!error_.empty()) return;
  require(e.type() == boolean,
          [&] { return "has type " + to_string(e.type()) + "; it must be bool"; });
  require(!has_load(e), [] { return "reads a buffer; it may only use sizes"; });
}

// An integer that is known before the call: only sizes are in scope here, and no data is read.
void ProgramVerifier::check_over_sizes(const Expr& e, const std::string& what) {
  check_expr(e);
  if (!error_.empty()) return;
  check_index_type(e, what);
  require(!has_load(e), [&] { return "the " + what + " " + text(e) + " reads a buffer"; });
}

void ProgramVerifier::check_index_type(const Expr& e, const std::string& what) {
  require(e.type() == i64, [&] {
    return "the " + what + " " + text(e) + " has type " + to_string(e.type()) + "; it must be i64";
  });
}

}  // namespace tenon
