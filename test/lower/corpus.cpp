#include "lower/corpus.h"

#include <cctype>
#include <map>

#include "support/check.h"

namespace tenon::test {
namespace {

const std::vector<Sample> kCorpus = {
    {"elementwise with a guarded tail", R"(
program p
  SIZES
  input x: f32[N]
  output y: f32[N]
{
  for io in 0..T {
    vector for ii in 0..V {
      if io * V + ii < N { y[io * V + ii] = max(x[io * V + ii], 0.0) * 2.0 + x[io * V + ii] }
    }
  }
})"},
    {"unrolled registers with a guarded tail, in parallel", R"(
program p
  SIZES
  input x: f32[N]
  input z: f32[N]
  output y: f32[N]
{
  parallel for io in 0..(N + 3 * V - 1) // (3 * V) {
    unroll for u in 0..3 {
      vector for v in 0..V {
        if io * (3 * V) + u * V + v < N {
          y[io * (3 * V) + u * V + v] = min(x[io * (3 * V) + u * V + v], z[io * (3 * V) + u * V + v])
        }
      }
    }
  }
})"},
    {"an inner split wider than the outer tile", R"(
program p
  SIZES
  input x: f32[N]
  output y: f32[N]
{
  for io in 0..(N + 1) // 2 {
    for iio in 0..1 {
      vector for iii in 0..V {
        if iio * V + iii < 2 { if io * 2 + (iio * V + iii) < N {
          y[io * 2 + (iio * V + iii)] = x[io * 2 + (iio * V + iii)]
        } }
      }
    }
  }
})"},
    {"a sum that folds", R"(
program p
  SIZES
  input x: f32[3, N]
  output s: f32[3]
{
  for i in 0..3 {
    s[i] = -0.0
    for jo in 0..T {
      vector for ji in 0..V {
        if jo * V + ji < N { s[i] += x[i, jo * V + ji] * 1.25 }
      }
    }
  }
})"},
    {"a maximum in registers, then folded", R"(
program p
  SIZES
  input x: f32[2, N]
  output s: f32[2]
{
  for i in 0..2 {
    alloc part: f32[2, V]
    unroll for u in 0..2 { vector for v in 0..V { part[u, v] = -inf } }
    for jo in 0..(N + 2 * V - 1) // (2 * V) {
      unroll for u in 0..2 {
        vector for v in 0..V {
          if jo * (2 * V) + u * V + v < N { part[u, v] max= x[i, jo * (2 * V) + u * V + v] }
        }
      }
    }
    s[i] = -inf
    for u in 0..2 { vector for v in 0..V { s[i] max= part[u, v] } }
  }
})"},
    {"padding by a select, and a transposed read", R"(
program p
  SIZES
  input x: f32[N, N]
  output y: f32[N, N]
{
  for i in 0..N {
    for jo in 0..T {
      vector for ji in 0..V {
        if jo * V + ji < N {
          y[i, jo * V + ji] = select((0 <= jo * V + ji - 1) & (jo * V + ji - 1 < N - 1), x[i, jo * V + ji - 1], 0.0) + x[jo * V + ji, i]
        }
      }
    }
  }
})"},
    {"a stencil of three with padding, deepest in the nest", R"(
program p
  SIZES
  input x: f32[N, 4]
  output y: f32[N, 4]
{
  for io in 0..(N + 2) // 3 {
    alloc t: f32[3, 4]
    unroll for a in 0..3 { vector for c in 0..4 { if io * 3 + a < N { t[a, c] = 0.0 } } }
    for k in 0..3 {
      unroll for b in 0..3 {
        vector for d in 0..4 {
          if io * 3 + b < N {
            t[b, d] += select((0 <= io * 3 + b + k - 1) & (io * 3 + b + k - 1 < N), x[io * 3 + b + k - 1, d], 0.0) * 0.5
          }
        }
      }
    }
    unroll for e in 0..3 { vector for f in 0..4 { if io * 3 + e < N { y[io * 3 + e, f] = t[e, f] } } }
  }
})"},
    {"strided and reversed lanes", R"(
program p
  SIZES
  input x: f32[2 * N]
  output y: f32[N]
{
  for io in 0..T {
    vector for ii in 0..V {
      if io * V + ii < N {
        y[N - 1 - (io * V + ii)] = x[2 * (io * V + ii) + 1] - x[2 * N - 1 - 2 * (io * V + ii)]
      }
    }
  }
})"},
    {"gather with checked indices", R"(
program p
  SIZES
  input i: i32[N]
  input t: f32[16]
  output y: f32[N]
{
  for io in 0..T {
    vector for ii in 0..V {
      if io * V + ii < N { y[io * V + ii] = t[check(cast<i64>(abs(i[io * V + ii])), 16)] }
    }
  }
})"},
    {"a guard on data, and a name inside the vector loop", R"(
program p
  SIZES
  input x: f32[N]
  input i: i32[N]
  output y: f32[N]
{
  for io in 0..T {
    vector for ii in 0..V {
      if io * V + ii < N { y[io * V + ii] = 1.0 }
      let a = select(io * V + ii < N, x[min(io * V + ii, N - 1)], 1.0)
      if io * V + ii < N and i[io * V + ii] < 3i32 and a < 2.0 { y[io * V + ii] = a * a + y[io * V + ii] }
    }
  }
})"},
    {"values that are the same for all lanes, under a mask", R"(
program p
  SIZES
  input x: f32[N]
  input w: f32[N, 3]
  output y: f32[3, N]
{
  for c in 0..3 {
    for io in 0..T {
      vector for ii in 0..V {
        if io * V + ii < N { y[c, io * V + ii] = x[io * V + ii] * w[io * V, c] + w[N - 1, 0] }
      }
    }
  }
})"},
    {"bytes and masks of bytes", R"(
program p
  SIZES
  input x: u8[N]
  input b: bool[N]
  output y: u8[N]
  output c: bool[N]
{
  for io in 0..T {
    vector for ii in 0..V {
      if io * V + ii < N {
        y[io * V + ii] = select(b[io * V + ii], x[io * V + ii] * x[io * V + ii], 3u8)
      }
      if io * V + ii < N { c[io * V + ii] = b[io * V + ii] ^ (x[io * V + ii] < 4u8) }
    }
  }
})"},
    {"rows in a buffer that outlives the guard", R"(
program p
  SIZES
  input x: f32[N]
  output y: f32[N]
{
  for i in 0..N {
    alloc t: f32[T * V]
    for ao in 0..T {
      vector for a in 0..V { if ao * V + a < i + 1 { t[ao * V + a] = x[ao * V + a] * 2.0 } }
    }
    for bo in 0..T {
      vector for b in 0..V { if bo * V + b < i + 1 { t[bo * V + b] += x[i] } }
    }
    y[i] = -0.0
    for co in 0..T {
      vector for c in 0..V { if co * V + c < i + 1 { y[i] += t[co * V + c] } }
    }
  }
})"},
    {"an old value that somebody reads stays", R"(
program p
  SIZES
  input x: f32[N]
  output y: f32[V]
{
  alloc t: f32[V]
  vector for a in 0..V { t[a] = 3.0 }
  for io in 0..T {
    vector for b in 0..V { if io * V + b < N { t[b] = x[io * V + b] } }
  }
  vector for c in 0..V { y[c] = t[c] }
})"},
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string replaced(const char* text, const std::map<std::string, std::string>& words) {
  std::string result, word;
  for (const char* c = text;; ++c) {
    if (*c && is_word(*c)) {
      word += *c;
      continue;
    }
    const auto found = words.find(word);
    result += found == words.end() ? word : found->second;
    word.clear();
    if (!*c) return result;
    result += *c;
  }
}

constexpr const char* kMatmul = R"(
program linear_relu
  SIZES
  input x: f32[M, K]
  weight w: f32[PN, K, B] packs [N, K] by (d0, d1) -> (d0 // B, d1, d0 % B)
  input b: f32[N]
  output out: f32[M, N]
{
  for jo in 0..PN {
    for io in 0..(M + A - 1) // A {
      alloc linear: f32[A, B]
      unroll for i in 0..A {
        vector for j in 0..B {
          if io * A + i < M and jo * B + j < N { linear[i, j] = -0.0 }
        }
      }
      for r in 0..K {
        unroll for iu in 0..A {
          vector for ju in 0..B {
            if io * A + iu < M and jo * B + ju < N {
              linear[iu, ju] += x[io * A + iu, r] * w[jo, r, ju]
            }
          }
        }
      }
      unroll for ii in 0..A {
        vector for ji in 0..B {
          if io * A + ii < M and jo * B + ji < N {
            out[io * A + ii, jo * B + ji] = max(linear[ii, ji] + b[jo * B + ji], 0.0)
          }
        }
      }
    }
  }
})";

std::string number(int64_t n) { return std::to_string(n); }

}  // namespace

const std::vector<Sample>& corpus() { return kCorpus; }

Program instance(const char* text, int64_t n, int64_t lanes) {
  return parsed(replaced(text, {{"SIZES", ""},
                                {"N", number(n)},
                                {"V", number(lanes)},
                                {"T", number((n + lanes - 1) / lanes)}}));
}

Program symbolic_instance(const char* text, int64_t lanes) {
  const std::string v = number(lanes);
  return parsed(replaced(text, {{"SIZES", "size n"},
                                {"N", "n"},
                                {"V", v},
                                {"T", "((n + " + number(lanes - 1) + ") // " + v + ")"}}));
}

Program matmul(int64_t m, int64_t n, int64_t k, int64_t a, int64_t b) {
  return parsed(replaced(kMatmul, {{"SIZES", ""},
                                   {"M", number(m)},
                                   {"N", number(n)},
                                   {"K", number(k)},
                                   {"A", number(a)},
                                   {"B", number(b)},
                                   {"PN", number((n + b - 1) / b)}}));
}

Program matmul_of_any_m(int64_t n, int64_t k, int64_t a, int64_t b) {
  return parsed(replaced(kMatmul, {{"SIZES", "size m"},
                                   {"M", "m"},
                                   {"N", number(n)},
                                   {"K", number(k)},
                                   {"A", number(a)},
                                   {"B", number(b)},
                                   {"PN", number((n + b - 1) / b)}}));
}

Program matmul_of_any_size(int64_t a, int64_t b) {
  return parsed(replaced(kMatmul, {{"SIZES", "size m, n, k"},
                                   {"M", "m"},
                                   {"N", "n"},
                                   {"K", "k"},
                                   {"A", number(a)},
                                   {"B", number(b)},
                                   {"PN", "((n + " + number(b - 1) + ") // " + number(b) + ")"}}));
}

}  // namespace tenon::test
