// out = max(x w^T + b, 0) in f32 on one core: Tenon's checked call with a packed weight, against
// oneDNN with packed weights and against Eigen.
//
//   linear_relu_bench [--check] [--all] [MxNxK ...]
//
// All three run interleaved in one process on one core, and their results are compared with a
// reference in double precision first. What a peer can prepare (primitives, argument maps, packed
// weights) is prepared before the clock starts. --all also times other row tiles than the chosen.
#include <Eigen/Core>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "linear_relu.h"
#include "side_by_side.h"
#include "tenon/tenon.h"

#ifdef TENON_HAVE_DNNL
#include <dnnl.hpp>
// The peer's threads come from OpenMP, which read its environment before main.
extern "C" void omp_set_num_threads(int) __attribute__((weak));
#endif

namespace tn = tenon;
using namespace tn::bench;

namespace {

// --- Data.

struct Data {
  std::vector<float> x, w, b;
  std::vector<double> expected;

  explicit Data(const Shape& s)
      : x(static_cast<size_t>(s.m * s.k)),
        w(static_cast<size_t>(s.n * s.k)),
        b(static_cast<size_t>(s.n)),
        expected(static_cast<size_t>(s.m * s.n)) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (std::vector<float>* values : {&x, &w, &b}) {
      for (float& v : *values) v = uniform(random);
    }
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t j = 0; j < s.n; ++j) {
        double sum = b[static_cast<size_t>(j)];
        for (int64_t r = 0; r < s.k; ++r) {
          sum += static_cast<double>(x[static_cast<size_t>(i * s.k + r)]) *
                 w[static_cast<size_t>(j * s.k + r)];
        }
        expected[static_cast<size_t>(i * s.n + j)] = std::max(sum, 0.0);
      }
    }
  }
};

// A rounding error of every addition in one direction would stay below this.
void require_right(const std::string& who, const Shape& shape, const Data& data,
                   const std::vector<float>& out) {
  const double tolerance = 1e-6 * static_cast<double>(shape.k);
  for (size_t i = 0; i < out.size(); ++i) {
    const double difference = std::abs(out[i] - data.expected[i]);
    if (!(difference <= tolerance)) {
      stop(who + " is wrong at " + std::to_string(i) + " of " + shape.name() + ": " +
           std::to_string(out[i]) + ", expected " + std::to_string(data.expected[i]));
    }
  }
}

// --- Those who run.

struct TenonRun {
  std::vector<float> out;
  tn::Kernel kernel;
  tn::Packed packed;
  tn::View X, B, Out;

  TenonRun(tn::Jit& jit, const LinearRelu& f, const Shape& s, const Tile& tile, Data& d)
      : out(static_cast<size_t>(s.m * s.n)),
        kernel(value_of(jit.compile(schedule_for(f, s, tile)))),
        packed(value_of(kernel.pack("w", tn::View(d.w.data(), {s.n, s.k})))),
        X(d.x.data(), {s.m, s.k}),
        B(d.b.data(), {s.n}),
        Out(out.data(), {s.m, s.n}) {}
  void call() { require_ok(kernel({X, packed, B}, {Out})); }
};

struct EigenRun {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::vector<float> out;
  Eigen::Map<const Matrix> X, W;
  Eigen::Map<const Eigen::RowVectorXf> B;
  Eigen::Map<Matrix> Out;

  EigenRun(const Shape& s, const Data& d)
      : out(static_cast<size_t>(s.m * s.n)),
        X(d.x.data(), s.m, s.k),
        W(d.w.data(), s.n, s.k),
        B(d.b.data(), s.n),
        Out(out.data(), s.m, s.n) {}
  void call() {
    Out.noalias() = X * W.transpose();
    Out.array() = (Out.rowwise() + B).array().max(0.0f);
  }
};

#ifdef TENON_HAVE_DNNL
using Memory = dnnl::memory;
using Tag = Memory::format_tag;

struct DnnlRun {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::vector<float> out;
  dnnl::primitive primitive;
  std::unordered_map<int, Memory> arguments;

  explicit DnnlRun(const Shape& s) : out(static_cast<size_t>(s.m * s.n)) {}
  void call() { primitive.execute(stream, arguments); }

 protected:
  static Memory::desc describe(Memory::dims dims, Tag tag) {
    return {std::move(dims), Memory::data_type::f32, tag};
  }
  static dnnl::primitive_attr relu_after() {
    dnnl::post_ops after;
    after.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(after);
    return attributes;
  }
  template <class Description>
  void prepare(const Description& pd, const Memory::desc& plain_weights, Data& d) {
    const auto at = [&](const Memory::desc& desc, float* data) {
      return Memory(desc, engine, data);
    };
    Memory plain = at(plain_weights, d.w.data());
    Memory packed(pd.weights_desc(), engine);
    dnnl::reorder(plain, packed).execute(stream, plain, packed);
    stream.wait();
    primitive = dnnl::primitive(pd);
    arguments = {{DNNL_ARG_SRC, at(pd.src_desc(), d.x.data())},
                 {DNNL_ARG_WEIGHTS, packed},
                 {DNNL_ARG_BIAS, at(pd.bias_desc(), d.b.data())},
                 {DNNL_ARG_DST, at(pd.dst_desc(), out.data())}};
  }
};

struct DnnlInnerProduct : DnnlRun {
  DnnlInnerProduct(const Shape& s, Data& d) : DnnlRun(s) {
    const dnnl::inner_product_forward::desc desc(
        dnnl::prop_kind::forward_inference, describe({s.m, s.k}, Tag::ab),
        describe({s.n, s.k}, Tag::any), describe({s.n}, Tag::a), describe({s.m, s.n}, Tag::ab));
    prepare(dnnl::inner_product_forward::primitive_desc(desc, relu_after(), engine),
            describe({s.n, s.k}, Tag::ab), d);
  }
};

struct DnnlMatmul : DnnlRun {
  DnnlMatmul(const Shape& s, Data& d) : DnnlRun(s) {
    const dnnl::matmul::desc desc(describe({s.m, s.k}, Tag::ab), describe({s.k, s.n}, Tag::any),
                                  describe({1, s.n}, Tag::ab), describe({s.m, s.n}, Tag::ab));
    prepare(dnnl::matmul::primitive_desc(desc, relu_after(), engine), describe({s.k, s.n}, Tag::ba),
            d);
  }
};
#endif

// --- The comparison.

template <class Run>
Candidate candidate(const std::string& name, Run& run, const Shape& shape, const Data& data) {
  run.call();
  require_right(name, shape, data, run.out);
  return {name, [&run] { run.call(); }};
}

void print_timings(const Shape& shape, const std::vector<Timing>& timings) {
  for (const Timing& t : timings) {
    std::printf("%-14s %-24s %10.2f %10.2f %10.1f\n", shape.name().c_str(), t.name.c_str(),
                t.minimum * 1e6, t.median * 1e6, shape.flops() / t.minimum / 1e9);
  }
}

double minimum_of(const std::vector<Timing>& timings, std::string_view prefix) {
  double best = INFINITY;
  for (const Timing& t : timings) {
    if (t.name.starts_with(prefix)) best = std::min(best, t.minimum);
  }
  return best;
}

// How many times faster than the peer, which runs its quickest form.
struct Ratios {
  std::vector<double> onednn, eigen;
};

void compare(tn::Jit& jit, const LinearRelu& f, const Shape& shape, bool all, Ratios& ratios) {
  Data data(shape);
  const Tile tile = tile_for(shape, jit.target());
  TenonRun tenon(jit, f, shape, tile, data);
  EigenRun eigen(shape, data);
  const std::string name =
      "tenon " + std::to_string(tile.rows) + "x" + std::to_string(tile.columns);
  std::vector<Candidate> candidates = {candidate(name, tenon, shape, data),
                                       candidate("eigen", eigen, shape, data)};
#ifdef TENON_HAVE_DNNL
  DnnlInnerProduct inner_product(shape, data);
  DnnlMatmul matmul(shape, data);
  candidates.push_back(candidate("onednn inner product", inner_product, shape, data));
  candidates.push_back(candidate("onednn matmul", matmul, shape, data));
#endif
  std::vector<std::unique_ptr<TenonRun>> others;
  if (all) {
    for (const Tile& other : {Tile{14, 32}, Tile{13, 32}, Tile{12, 32}, Tile{10, 32}, Tile{8, 32},
                              Tile{8, 48}, Tile{9, 48}, Tile{6, 64}, Tile{13, 16}, Tile{7, 16}}) {
      others.push_back(std::make_unique<TenonRun>(jit, f, shape, other, data));
      const std::string label =
          "(tenon " + std::to_string(other.rows) + "x" + std::to_string(other.columns) + ")";
      candidates.push_back(candidate(label, *others.back(), shape, data));
    }
  }
  const std::vector<Timing> timings = time_side_by_side(candidates);
  print_timings(shape, timings);
  const double own = minimum_of(timings, "tenon");
  ratios.onednn.push_back(minimum_of(timings, "onednn") / own);
  ratios.eigen.push_back(minimum_of(timings, "eigen") / own);
}

void print_suite(const char* peer, const std::vector<double>& ratios) {
  std::printf("suite=linear_relu peer=%s geomean=%.3f min=%.3f n=%zu threads=1\n", peer,
              geomean(ratios), *std::min_element(ratios.begin(), ratios.end()), ratios.size());
}

std::vector<Shape> shapes_from(int argc, char** argv) {
  std::vector<Shape> shapes;
  for (int a = 1; a < argc; ++a) {
    long long m = 0, n = 0, k = 0;
    if (std::sscanf(argv[a], "%lldx%lldx%lld", &m, &n, &k) == 3) shapes.push_back({m, n, k});
  }
  if (!shapes.empty()) return shapes;
  return {{128, 768, 768}, {127, 767, 769}, {50, 500, 500}, {13, 29, 17}};
}

}  // namespace

int main(int argc, char** argv) {
  Report report(argc, argv);
  bool all = false;
  for (int a = 1; a < argc; ++a) all |= std::string_view(argv[a]) == "--all";
  if (!pin_to_one_core()) std::printf("not pinned to a core\n");
#ifdef TENON_HAVE_DNNL
  if (omp_set_num_threads) omp_set_num_threads(1);
  const dnnl_version_t* peer = dnnl_version();
  std::printf("oneDNN %d.%d.%d, Eigen %d.%d.%d\n", peer->major, peer->minor, peer->patch,
              EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
#endif
  tn::Jit jit;
  std::printf("target %s\n\n%-14s %-24s %10s %10s %10s\n", jit.target().to_string().c_str(),
              "m x n x k", "", "min us", "median us", "GFLOP/s");
  const LinearRelu f;
  Ratios ratios;
  for (const Shape& shape : shapes_from(argc, argv)) compare(jit, f, shape, all, ratios);
  std::printf("\n");
#ifdef TENON_HAVE_DNNL
  print_suite("onednn", ratios.onednn);
#endif
  print_suite("eigen", ratios.eigen);
#ifdef TENON_HAVE_DNNL
  report.at_least("speed over oneDNN, geometric mean", geomean(ratios.onednn), 1.0, "");
  report.at_least("speed over oneDNN, worst",
                  *std::min_element(ratios.onednn.begin(), ratios.onednn.end()), 0.9, "");
#else
  // Nothing to compare with is not a comparison that was won.
  std::printf("built without oneDNN: install libdnnl-dev and configure again\n");
  report.at_least("peers found", 0, 1, "");
#endif
  report.at_least("speed over Eigen, geometric mean", geomean(ratios.eigen), 1.2, "");
  return report.exit_code();
}
