// A tensor by its elements, or several in one nest.
#include "dsl/emit.h"
#include "dsl/hoist.h"

namespace tenon::dsl {

std::vector<Stmt> emit_nest(const Nest& definition, const std::vector<Buffer>& results,
                            const Emission& emission) {
  const Axes axes = box(definition.vars, definition.shape);
  const std::vector<Expr> indices = indices_of(axes);
  Hoister hoister(results.front().name(), emission.names);
  hoister.enter(axes);

  std::vector<Buffer> of(definition.values.size());
  for (const Buffer& result : results) of[result.definition()->result] = result;
  std::vector<Buffer> written;

  // A value that is a reduction is reduced where it belongs; the other values may read it there.
  std::vector<Stmt> reductions, stores;
  std::vector<bool> reduced(of.size());
  for (size_t v = 0; v < of.size(); ++v) {
    const Reduce* reduce = definition.values[v].as<Reduce>();
    if (!of[v] || !reduce || reduced[v]) continue;
    std::vector<Buffer> buffers(reduce->by.results());
    for (size_t w = v; w < of.size(); ++w) {
      const Reduce* other = definition.values[w].as<Reduce>();
      if (!of[w] || !other || !Hoister::same_reduction(*reduce, *other)) continue;
      Buffer& place = buffers[static_cast<size_t>(other->result)];
      if (!place) place = of[w], reduced[w] = true;
    }
    // What nobody asked for is kept all the same while reducing.
    if (reduce->by.functions()) {
      const std::vector<Buffer> own = hoister.result_buffers(*reduce);
      for (size_t b = 0; b < buffers.size(); ++b) {
        if (!buffers[b]) buffers[b] = own[b];
      }
    }
    written.insert(written.end(), buffers.begin(), buffers.end());
    reductions.push_back(hoister.reduction(buffers, *reduce, definition.values[v]));
  }
  for (size_t v = 0; v < of.size(); ++v) {
    if (!of[v] || reduced[v]) continue;
    stores.push_back(store(of[v], indices, hoister.hoist(definition.values[v])));
    written.push_back(of[v]);
  }
  reductions.insert(reductions.end(), stores.begin(), stores.end());

  std::vector<Stmt> stmts = hoister.take();
  for (const Buffer& buffer : written) {
    if (!emission.declared.count(buffer)) stmts.push_back(alloc(buffer, extents_of(axes)));
  }
  stmts.push_back(nest(axes, seq(std::move(reductions))));
  return stmts;
}

}  // namespace tenon::dsl
