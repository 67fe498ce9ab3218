#include "tenon/dsl/quantized.h"

#include "tenon/ir/integers.h"
#include "tenon/ir/operators.h"

namespace tenon {
namespace {

std::string mistake_in(const std::string& name, const QuantizedFormat& format, size_t rank) {
  const std::string what = "quantized tensor " + name + ": ";
  if (rank == 0) return what + "it has no dimension along which codes could be packed";
  if (format.bits != 1 && format.bits != 2 && format.bits != 4 && format.bits != 8) {
    return what + std::to_string(format.bits) + " bits per code; 1, 2, 4 and 8 divide a byte";
  }
  if (format.group < 0) return what + "groups of " + std::to_string(format.group) + " elements";
  if (!format.scale.is_float() || !format.value.is_float()) {
    return what + "its scales are " + to_string(format.scale) + " and its values " +
           to_string(format.value) + "; both are floats";
  }
  return "";
}

// The bytes that hold this many codes.
Expr bytes_of_codes(const Expr& count, int bits) { return ceildiv(count, 8 / bits); }

}  // namespace

QuantizedTensor quantized(std::string name, std::vector<Expr> shape,
                          const QuantizedFormat& format) {
  QuantizedTensor t;
  t.format_ = format;
  t.shape_ = shape;
  t.error_ = mistake_in(name, format, shape.size());
  if (!t.error_.empty()) {
    t.codes_ = weight(name, u8, {invalid(t.error_)});
    t.scales_ = weight(name + "_scale", f32, {invalid(t.error_)});
    return t;
  }

  std::vector<Expr> groups = shape, packed = shape, packed_groups = shape;
  groups.back() = format.group == 0 ? Expr(1) : ceildiv(shape.back(), format.group);
  packed.back() = bytes_of_codes(shape.back(), format.bits);
  packed_groups.back() = bytes_of_codes(groups.back(), format.bits);
  t.codes_ = weight(name, u8, std::move(packed));
  t.scales_ = weight(name + "_scale", format.scale, groups);
  if (format.zero == QuantizedFormat::Zero::kCodes) {
    t.zeros_ = weight(name + "_zero", u8, std::move(packed_groups));
  }
  if (format.zero == QuantizedFormat::Zero::kValues) {
    t.zeros_ = weight(name + "_zero", format.scale, std::move(groups));
  }
  return t;
}

std::optional<Expr> QuantizedTensor::wrong(const Index& index) const {
  if (!error_.empty()) return invalid(error_);
  if (index.size() == rank()) return std::nullopt;
  return invalid(name() + " has " + std::to_string(rank()) + " dimensions and is read with " +
                 std::to_string(index.size()) + " indices");
}

Index QuantizedTensor::group_of(const Index& index) const {
  return index.with(-1, format_.group == 0 ? Expr(0) : index[-1] / format_.group);
}

namespace {

// The code at this index of a packed tensor.
Expr code_in(const Tensor& packed, const Index& index, const QuantizedFormat& format) {
  const int per_byte = 8 / format.bits;
  const bool alone = per_byte == 1;
  const Expr bits = packed(alone ? index : index.with(-1, index[-1] / per_byte));
  const Expr at = alone ? Expr(0) : cast(u8, index[-1] % per_byte * format.bits);
  return format.is_signed ? signed_bit_field(bits, at, format.bits)
                          : bit_field(bits, at, format.bits);
}

}  // namespace

Expr QuantizedTensor::code(const Index& index) const {
  if (const std::optional<Expr> mistake = wrong(index)) return *mistake;
  return code_in(codes_, index, format_);
}

// In i16, where a difference of codes cannot overflow, or as the float that it is.
Expr QuantizedTensor::zero_at(const Index& index) const {
  switch (format_.zero) {
    case QuantizedFormat::Zero::kCodes: return cast(i16, code_in(zeros_, group_of(index), format_));
    case QuantizedFormat::Zero::kValues: return cast(format_.value, zeros_(group_of(index)));
    case QuantizedFormat::Zero::kNone: break;
  }
  return constant_int(i16, format_.is_signed ? 0 : int64_t{1} << (format_.bits - 1));
}

Expr QuantizedTensor::operator()(const Index& index) const {
  if (const std::optional<Expr> mistake = wrong(index)) return *mistake;
  const Expr zero = zero_at(index);
  const Expr number = cast(zero.type(), code(index));
  const Expr steps = is_constant(zero, 0) ? number : number - zero;
  return cast(format_.value, steps) * cast(format_.value, scales_(group_of(index)));
}

}  // namespace tenon
