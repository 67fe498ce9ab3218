// What the schedules of the kernels of docs/dsl.md ask, asked again of isl: in each Program that a
// schedule goes through, every pair of accesses of an element, in every order of their loops.
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "analysis/isl.h"
#include "schedule/run.h"
#include "support/check.h"
#include "support/problem.h"
#include "tenon/analysis/access.h"
#include "tenon/schedule/replay.h"

namespace tenon::test {
namespace {

struct Count {
  int apart = 0, unknown = 0;  // pairs that never meet, and of them those without an answer
  int together = 0;            // pairs that do
  int beyond = 0;              // questions about data or products of sizes, which isl does not take

  void operator+=(const Count& other) {
    apart += other.apart, unknown += other.unknown;
    together += other.together, beyond += other.beyond;
  }
};

// The order of two iterations: equal outside, and then less; or equal in all loops.
std::vector<std::vector<Ordering>> orders(size_t loops) {
  std::vector<std::vector<Ordering>> all(1, std::vector<Ordering>(loops, Ordering::kEqual));
  for (size_t at = 0; at < loops; ++at) {
    for (const Ordering d : {Ordering::kLess, Ordering::kGreater}) {
      std::vector<Ordering> one(loops, Ordering::kAny);
      std::fill_n(one.begin(), at, Ordering::kEqual);
      one[at] = d;
      all.push_back(std::move(one));
    }
  }
  return all;
}

class Asker {
 public:
  explicit Asker(const Program& program) : program_(program), facts_(facts_of(program)) {}

  Count ask() {
    const std::vector<Access> all = accesses_of(program_->body);
    for (const Access& a : all) {
      for (const Access& b : all) {
        const bool one_writes = a.kind != Access::Kind::kRead || b.kind != Access::Kind::kRead;
        if (a.buffer == b.buffer && one_writes && !commute(a, b, false)) ask(a, b);
      }
    }
    return count_;
  }

 private:
  void ask(const Access& a, const Access& b) {
    size_t common = common_loops(a, b).size();
    for (const std::vector<Ordering>& order : orders(common)) {
      // A buffer of an iteration's own is another one in the next.
      const size_t home = a.home.value_or(0);
      std::vector<Ordering> directions = order;
      bool is_shared = true;
      for (size_t l = 0; l < std::min(home, common); ++l) {
        if (directions[l] == Ordering::kAny) directions[l] = Ordering::kEqual;
        is_shared = is_shared && directions[l] == Ordering::kEqual;
      }
      if (is_shared) ask(a, b, directions);
    }
  }

  void ask(const Access& a, const Access& b, const std::vector<Ordering>& directions) {
    IslSet set(program_->sizes);
    for (const Expr& fact : program_->requirements) set.add(fact, set.sizes());
    set.add_meeting(a, b, directions);
    if (!set.is_affine()) {
      ++count_.beyond;
      return;
    }
    const bool truth = isl_.has_point(set.text());
    const Answer answer = meet(a, b, directions, facts_).answer;
    INFO(print(program_) << set.text());
    if (answer == Answer::kNo && truth) FAIL("they meet");
    if (answer == Answer::kYes && !truth) FAIL("they never meet");
    if (truth) {
      ++count_.together;
      return;
    }
    ++count_.apart;
    count_.unknown += answer == Answer::kUnknown;
  }

  const Program& program_;
  const Facts facts_;
  Isl isl_;
  Count count_;
};

struct KernelCase {
  std::string name, text;
  std::vector<std::string> steps;
};

std::vector<KernelCase> kernels() {
  std::vector<KernelCase> all;
  const std::filesystem::path folder = std::filesystem::path(TENON_TEST_DIR) / "kernels";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    KernelCase one{file.path().stem(), {}, {}};
    std::ifstream in(file.path());
    bool is_step = false;
    for (std::string line; std::getline(in, line);) {
      if (line == "steps") {
        is_step = true;
      } else if (is_step) {
        one.steps.push_back(line);
      } else {
        one.text += line + "\n";
      }
    }
    all.push_back(std::move(one));
  }
  std::sort(all.begin(), all.end(),
            [](const KernelCase& a, const KernelCase& b) { return a.name < b.name; });
  return all;
}

TEST_CASE("Every program of dsl.md is one of the kernels") {
  std::ifstream document(std::filesystem::path(TENON_SOURCE_DIR) / "docs" / "dsl.md");
  const std::string start = "tn::program(\"";
  std::set<std::string> named, known;
  for (std::string line; std::getline(document, line);) {
    const size_t at = line.find(start);
    if (at == std::string::npos) continue;
    const size_t name = at + start.size();
    named.insert(line.substr(name, line.find('"', name) - name));
  }
  for (const KernelCase& kernel : kernels()) known.insert(kernel.name);
  CHECK(named == known);
}

TEST_CASE("On the way of the kernels of dsl.md through their schedules few answers are missing") {
  Count sum;
  int programs = 0, steps = 0;
  for (const KernelCase& kernel : kernels()) {
    INFO(kernel.name);
    Schedule s(parsed(kernel.text));
    Count count = Asker(s.program()).ask();
    for (const std::string& step : kernel.steps) {
      const absl::Status status = replay(s, "1 " + step);
      INFO(step << "\n" << status.message() << "\n" << print(s.program()));
      REQUIRE(status.ok());
      count += Asker(s.program()).ask();
      ++steps;
    }
    std::printf("%-24s independent %5d, unknown %d; dependent %d, not affine %d\n",
                kernel.name.c_str(), count.apart, count.unknown, count.together, count.beyond);
    sum += count;
    ++programs;
  }
  std::printf(
      "isl, %d kernels of dsl.md, %d steps: independent %d, unknown %.2f %%; not affine %d\n",
      programs, steps, sum.apart, 100.0 * sum.unknown / std::max(sum.apart, 1), sum.beyond);
  CHECK(programs >= 20);
  CHECK(sum.apart >= 3000);
  CHECK(sum.unknown * 100 <= sum.apart);
}

}  // namespace
}  // namespace tenon::test
