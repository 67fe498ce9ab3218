#include "tenon/dsl/border.h"

#include <functional>

#include "dsl/dims.h"
#include "tenon/dsl/domain.h"

namespace tenon {
namespace {

using IndexMap = Expr (*)(const Expr&, const Expr&);

std::vector<int> all_or(std::vector<int> dims, int rank) {
  if (!dims.empty()) return dims;
  for (int d = 0; d < rank; ++d) dims.push_back(d);
  return dims;
}

Tensor wrong_view(const Tensor& t, const Expr& wrong) {
  return Tensor::view(t, t.shape(), [wrong](const Index&) { return wrong; });
}

// Where these dimensions are inside, the elements themselves: lowering then takes the border apart.
// Elsewhere what `outside` says.
Tensor padded(const char* name, const Tensor& t, const std::vector<int>& dims,
              std::function<Expr(const Index&, const std::vector<int>&)> outside) {
  std::vector<int> which;
  for (const int dim : all_or(dims, t.rank())) {
    const int d = dsl::settle_dim(dim, t.rank());
    if (d < 0) return wrong_view(t, dsl::wrong_dim(name, dim, t));
    which.push_back(d);
  }
  return Tensor::view(t, t.shape(), [t, which, outside](const Index& at) {
    Expr within;
    for (const int d : which) {
      const Expr here = inside(at[d], t.size(d));
      within = within ? within & here : here;
    }
    return within ? select(within, t(at), outside(at, which)) : t(at);
  });
}

Tensor pad_by(const char* name, IndexMap map, const Tensor& t, const std::vector<int>& dims) {
  return padded(name, t, dims, [t, map](const Index& at, const std::vector<int>& which) {
    Index read = at;
    for (const int d : which) read = read.with(d, map(at[d], t.size(d)));
    return t(read);
  });
}

}  // namespace

Expr edge_index(const Expr& i, const Expr& extent) { return min(max(i, 0), extent - 1); }

// With period 2 * (extent - 1): up, and down again.
Expr reflect_index(const Expr& i, const Expr& extent) {
  const Expr period = 2 * extent - 2;
  const Expr place = i % max(period, 1);
  // The outer bounds are never reached; they are there to be seen where the extent is a symbol.
  return max(min(min(place, period - place), extent - 1), 0);
}

Expr wrap_index(const Expr& i, const Expr& extent) { return i % extent; }

Tensor pad_constant(const Tensor& t, const Expr& value, const std::vector<int>& dims) {
  if (!value) return wrong_view(t, invalid("pad_constant of " + t.name() + ": the value is empty"));
  if (value.is<Invalid>()) return wrong_view(t, value);
  const Const* literal = value.as<Const>();
  if (value.type() != t.type() && !(literal && literal->literal)) {
    return wrong_view(t,
                      invalid("pad_constant of " + t.name() + ", which is " + to_string(t.type()) +
                              ", with a value of type " + to_string(value.type()) + "; cast it"));
  }
  return padded("pad_constant", t, dims,
                [value = cast(t.type(), value)](const auto&...) { return value; });
}

Tensor pad_edge(const Tensor& t, const std::vector<int>& dims) {
  return pad_by("pad_edge", edge_index, t, dims);
}
Tensor pad_reflect(const Tensor& t, const std::vector<int>& dims) {
  return pad_by("pad_reflect", reflect_index, t, dims);
}
Tensor pad_wrap(const Tensor& t, const std::vector<int>& dims) {
  return pad_by("pad_wrap", wrap_index, t, dims);
}

}  // namespace tenon
