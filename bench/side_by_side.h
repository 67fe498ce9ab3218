// Timing that is meaningful on a machine that does other things too: the candidates take turns in
// many short rounds, so that a disturbance meets all of them, and the quickest round of each is the
// figure. The median says how disturbed the machine was.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace tenon::bench {

struct Timing {
  std::string name;
  double minimum = 0, median = 0;  // seconds per call
};

struct Candidate {
  std::string name;
  std::function<void()> call;
};

struct Rounds {
  int count = 60;
  double seconds = 1e-3;  // of one candidate in one round
};

// Keeps this thread on one processor. False where that is not possible.
bool pin_to_one_core();

std::vector<Timing> time_side_by_side(const std::vector<Candidate>& candidates,
                                      const Rounds& rounds = {});

double median(std::vector<double> values);
double geomean(const std::vector<double>& values);

// The lines "name: 12.3 us, bound 20 us: PASS". With --check in the arguments of the program the
// exit code is 1 when a line says FAIL.
class Report {
 public:
  Report(int argc, char** argv);
  void at_most(const std::string& what, double value, double bound, const std::string& unit);
  void at_least(const std::string& what, double value, double bound, const std::string& unit);
  int exit_code() const { return check_ && failed_ ? 1 : 0; }

 private:
  void line(const std::string& what, double value, const char* relation, double bound,
            const std::string& unit, bool pass);
  bool check_ = false, failed_ = false;
};

}  // namespace tenon::bench
