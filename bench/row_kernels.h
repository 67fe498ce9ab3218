// Softmax and attention, and how an expert schedules them with the derived steps of Schedule.
#pragma once

#include <cstdint>
#include <vector>

#include "tenon/tenon.h"

namespace tenon::bench {

// y[i, j] = exp(x[i, j] - max_r x[i, r]) / sum_r exp(x[i, r] - max_r x[i, r])
struct Softmax {
  Size m{"m"}, n{"n"};
  Program program;

  Softmax() {
    Tensor x = input("x", f32, {m, n});
    Tensor peak =
        compute("peak", {m}, [&](Expr i) { return max_over(n, [&](Expr r) { return x(i, r); }); });
    Tensor e = compute("e", {m, n}, [&](Expr i, Expr j) { return exp(x(i, j) - peak(i)); });
    Tensor total =
        compute("total", {m}, [&](Expr i) { return sum(n, [&](Expr r) { return e(i, r); }); });
    Tensor y = compute("y", {m, n}, [&](Expr i, Expr j) { return e(i, j) / total(i); });
    program = tenon::program("softmax", {x}, {y});
  }

  // One row at a time; the exponentials wait in the output's memory.
  Schedule schedule(int64_t rows, int64_t columns) const {
    Schedule s(program, {{m, rows}, {n, columns}});
    auto [i, j] = s.loops<2>("y");
    auto inside = s.fuse_at({"peak", "e", "total"}, i);
    s.store_in("e", "y", [i = i](const Index& at) { return Index{i.var(), at[1]}; });
    for (const char* stage : {"peak", "total"}) s.lanes(s.all_loops(stage).back());
    for (Loop column : {inside[1][1], j}) s.vectorize(s.split(column, 16).second);
    s.parallelize(i);
    return s;
  }
};

// out[h, i, c] = sum_t softmax_t(Q[h, i, :] . K[h, t, :] / sqrt(d)) * V[h, t, c]; the causal form
// takes only t <= i.
struct Attention {
  Size heads{"heads"}, queries{"queries"}, keys{"keys"}, d{"d"};
  Program program;

  explicit Attention(bool causal) {
    Tensor Q = input("Q", f32, {heads, queries, d});
    Tensor K = input("K", f32, {heads, keys, d});
    Tensor V = input("V", f32, {heads, keys, d});
    const auto over_keys = [&](const Expr& i) {
      return causal ? Domain(keys).where([=](Expr t) { return t <= i; }) : Domain(keys);
    };
    Tensor dots = compute("dots", {heads, queries, keys}, [&](Expr h, Expr i, Expr t) {
      return sum(d, [&](Expr r) { return Q(h, i, r) * K(h, t, r); });
    });
    Tensor scores = compute("scores", {heads, queries, keys}, [&](Expr h, Expr i, Expr t) {
      return dots(h, i, t) / sqrt(cast(f32, d));
    });
    Tensor peak = compute("peak", {heads, queries}, [&](Expr h, Expr i) {
      return max_over(over_keys(i), [&](Expr t) { return scores(h, i, t); });
    });
    Tensor e = compute("e", {heads, queries, keys},
                       [&](Expr h, Expr i, Expr t) { return exp(scores(h, i, t) - peak(h, i)); });
    Tensor total = compute("total", {heads, queries}, [&](Expr h, Expr i) {
      return sum(over_keys(i), [&](Expr t) { return e(h, i, t); });
    });
    Tensor mix = compute("mix", {heads, queries, d}, [&](Expr h, Expr i, Expr c) {
      return sum(over_keys(i), [&](Expr t) { return e(h, i, t) * V(h, t, c); });
    });
    Tensor out = compute("out", {heads, queries, d},
                         [&](Expr h, Expr i, Expr c) { return mix(h, i, c) / total(h, i); });
    program = tenon::program(causal ? "causal_attention" : "attention", {Q, K, V}, {out});
  }

  // A block of query rows at a time, against all keys: the scores and their exponentials share one
  // array of the block, both products are register tiles, and K is laid out in panels once a head.
  Schedule schedule(const Sizes& sizes, const Target::Tile& tile) const {
    Schedule s(program, sizes);
    auto [h, i, c] = s.loops<3>("out");
    auto [block, row] = s.split(i, tile.rows);
    auto inside = s.fuse_at({"dots", "scores", "peak", "e", "total", "mix"}, block);
    Staged panels = s.stage("K", h);
    s.set_layout(panels.stage, [n = tile.columns](const Index& at) {
      return Index{at[0], at[1] / n, at[2], at[1] % n};
    });
    s.register_tile("dots", {inside[1][1], inside[1][2]}, {tile.rows, tile.columns});
    s.register_tile("mix", {row, c}, {tile.rows, tile.columns});
    s.store_over("e", "scores");
    for (const char* stage : {"peak", "total"}) s.lanes(s.all_loops(stage).back());
    s.vectorize(s.split(inside[3][2], 16).second);
    s.parallelize(h);
    return s;
  }
};

}  // namespace tenon::bench
