// The property test without a limit, and what makes its failures small.
//
//   tenon_fuzz [pairs] [first seed] [steps]   draws pairs; a failure is shrunk and printed
//   tenon_fuzz --replay FILE                  checks the pair of such a text again
//   tenon_fuzz --shrink FILE                  ... and shrinks it
//   tenon_fuzz --draw FOLDER                  200 Programs and traces, for fuzz_text to begin with
//
// Pairs run in a process of their own, so that one that crashes or hangs is a failure like any
// other.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <new>
#include <sstream>

#include "support/native.h"
#include "support/pair_check.h"
#include "support/shrink.h"

namespace tenon::test {
namespace {

constexpr unsigned kSeconds = 120;  // that a pair may take

// What a process of its own gives: an exit code, or 128 and the signal that ended it.
template <class F>
int in_process(const F& run) {
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    const int code = run();
    std::cout.flush();
    _exit(code);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return 255;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string what_died(int code) {
  return code == 128 + SIGALRM ? "it hangs" : "signal " + std::to_string(code - 128);
}

// The pair fails as it did: at the same place, or by the same signal.
Pair shrunk(const Pair& pair, const std::string& where, int code) {
  const auto fails = [&](const Pair& candidate) {
    return code == in_process([&] {
             alarm(kSeconds);
             PairCounts counts;
             const auto failure = check_pair(candidate, {}, counts);
             return failure && failure->where == where ? 1 : 0;
           });
  };
  if (!fails(pair)) return pair;  // the text alone does not show it
  return shrink(pair, fails);
}

void print_counts(const PairCounts& counts, int64_t failures) {
  std::cout << counts.pairs << " pairs, " << counts.accepted << " steps accepted, "
            << counts.refused << " refused, " << counts.reassociated << " reassociated, "
            << counts.lowered << " lowered forms, " << counts.native
            << " machine codes: " << failures << " failures\n";
  for (const auto& [name, count] : counts.primitives) std::cout << name << " " << count << "  ";
  std::cout << "\n";
  for (const auto& [name, count] : counts.forms) std::cout << name << " " << count << "  ";
  std::cout << "\n";
}

void report(uint64_t seed, const PairFailure& failure) {
  std::cout << "seed " << seed << "\n" << failure.to_string() << "\n# Shrunk:\n";
  std::cout << to_string(shrunk(failure.pair, failure.where, 1)) << std::endl;
}

// One that ends its process.
void report_death(uint64_t seed, int code, const PairOptions& options) {
  std::cout << "seed " << seed << ": " << what_died(code) << std::endl;
  const int drawn = in_process([&] {
    alarm(kSeconds);
    draw_pair(seed, options);
    return 0;
  });
  if (drawn != 0) {
    std::cout << "while it is drawn: " << what_died(drawn) << std::endl;
    return;
  }
  const Pair pair = draw_pair(seed, options);
  std::cout << to_string(pair) << "\n# Shrunk:\n";
  std::cout << to_string(shrunk(pair, "", code)) << std::endl;
}

int fuzz(uint64_t pairs, uint64_t first, const PairOptions& options) {
  void* shared = mmap(nullptr, sizeof(std::atomic<uint64_t>), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  auto& seed = *new (shared) std::atomic<uint64_t>(first);
  bool failed = false;
  while (seed < first + pairs) {
    const int code = in_process([&] {
      PairCounts counts;
      int64_t failures = 0;
      for (; seed < first + pairs; ++seed) {
        alarm(kSeconds);
        const auto failure = check_pair(seed, options, counts);
        alarm(0);
        if (failure) report(seed, *failure);
        failures += failure.has_value();
        if (counts.pairs % 100 == 0) std::cerr << "\r" << counts.pairs << " pairs" << std::flush;
      }
      std::cerr << "\r";
      print_counts(counts, failures);
      return failures == 0 ? 0 : 1;
    });
    failed = failed || code != 0;
    if (code < 128) break;
    report_death(seed, code, options);
    ++seed;
  }
  return failed ? 1 : 0;
}

int replay_file(const std::string& name, bool shrinks) {
  std::ifstream file(name);
  std::stringstream text;
  text << file.rdbuf();
  const absl::StatusOr<Pair> pair = parse_pair(text.str());
  if (!file || !pair.ok()) {
    std::cerr << name << ": " << (file ? pair.status().message() : "cannot be read") << "\n";
    return 2;
  }
  PairCounts counts;
  const auto failure = check_pair(*pair, {}, counts);
  if (!failure) {
    std::cout << "no failure\n";
    return 0;
  }
  if (!shrinks) std::cout << failure->to_string();
  if (shrinks) std::cout << to_string(shrunk(*pair, failure->where, 1));
  return 1;
}

int draw_texts(const std::string& folder) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Pair pair = draw_pair(seed, {});
    const absl::StatusOr<Schedule> schedule = schedule_of(pair);
    if (!schedule.ok()) return 1;
    const std::string name = folder + "/" + std::to_string(seed);
    std::ofstream(name + "_first") << pair.c.program;
    std::ofstream(name + "_last") << schedule->program();
    std::ofstream(name + "_trace") << schedule->trace();
  }
  return 0;
}

}  // namespace
}  // namespace tenon::test

int main(int argc, char** argv) {
  tenon::test::native_targets();  // says once what is left out, not in every process
  const std::string mode = argc == 3 ? argv[1] : "";
  if (mode == "--draw") return tenon::test::draw_texts(argv[2]);
  if (mode == "--replay" || mode == "--shrink") {
    return tenon::test::replay_file(argv[2], mode == "--shrink");
  }
  const uint64_t pairs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  tenon::test::PairOptions options;
  if (argc > 3) options.steps = std::atoi(argv[3]);
  return tenon::test::fuzz(pairs, first, options);
}
