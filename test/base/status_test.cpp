#include "tenon/base/status.h"

#include <catch2/catch.hpp>

#include "tenon/base/macros.h"

namespace tenon {
namespace {

Diagnostic full() {
  Diagnostic d;
  d.step = 3;
  d.action = "reorder(k, i)";
  d.file = "/home/user/src/mykernel.cpp";
  d.line = 42;
  d.reason = "iteration (i, k) must run before (i+1, k-1): both touch C[i, k]";
  d.missing = {"n % 16 == 0", "m >= 1"};
  d.legal = {"reorder(i, j)", "split(i, ...)"};
  return d;
}

void check_same(const Diagnostic& a, const Diagnostic& b) {
  CHECK(a.step == b.step);
  CHECK(a.action == b.action);
  CHECK(a.file == b.file);
  CHECK(a.line == b.line);
  CHECK(a.reason == b.reason);
  CHECK(a.missing == b.missing);
  CHECK(a.legal == b.legal);
}

TEST_CASE("a diagnostic prints as a heading and its fields") {
  CHECK(print(full()) ==
        "schedule step 3: reorder(k, i) refused at mykernel.cpp:42\n"
        "  iteration (i, k) must run before (i+1, k-1): both touch C[i, k]\n"
        "  missing fact: n % 16 == 0; m >= 1\n"
        "  legal here: reorder(i, j); split(i, ...)");
}

TEST_CASE("fields that are not known leave no trace in the text") {
  Diagnostic d;
  d.reason = "the factor of a split must be at least 1, and it is 0";
  CHECK(print(d) == "the factor of a split must be at least 1, and it is 0");
  d.action = "split(i, 0)";
  CHECK(print(d) == "split(i, 0) refused\n  the factor of a split must be at least 1, and it is 0");
  d.action.clear();
  d.file = "a.cpp";
  d.line = 7;
  CHECK(print(d) == "at a.cpp:7\n  the factor of a split must be at least 1, and it is 0");
  d.step = 2;
  CHECK(print(d) ==
        "schedule step 2 at a.cpp:7\n  the factor of a split must be at least 1, and it is 0");
}

TEST_CASE("a status carries its diagnostic and the printed text") {
  const absl::Status status = make_status(full(), absl::StatusCode::kFailedPrecondition);
  CHECK(status.code() == absl::StatusCode::kFailedPrecondition);
  CHECK(std::string(status.message()) == print(full()));
  REQUIRE(diagnostic_of(status).has_value());
  check_same(*diagnostic_of(status), full());
}

TEST_CASE("any byte may stand in a diagnostic") {
  Diagnostic d;
  d.action = std::string("a:1\0b\n\xff", 7);
  d.reason = "r5:hello";
  d.missing = {"", "s1:3", ":"};
  const std::optional<Diagnostic> back = diagnostic_of(make_status(d));
  REQUIRE(back.has_value());
  check_same(*back, d);
}

TEST_CASE("a refusal is an invalid argument with a reason, facts and choices") {
  const absl::Status status = refuse("no", {"n >= 1"}, {"fuse(i, j)"});
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  const std::optional<Diagnostic> d = diagnostic_of(status);
  REQUIRE(d.has_value());
  CHECK(d->reason == "no");
  CHECK(d->missing == std::vector<std::string>{"n >= 1"});
  CHECK(d->legal == std::vector<std::string>{"fuse(i, j)"});
  CHECK(d->step == 0);
}

TEST_CASE("a status from elsewhere has no diagnostic") {
  CHECK(!diagnostic_of(absl::OkStatus()).has_value());
  CHECK(!diagnostic_of(absl::InternalError("x")).has_value());
}

TEST_CASE("a damaged payload is no diagnostic") {
  for (const char* payload : {"x1:a", "s", "s9:1", "a-1:", "s1:12"}) {
    absl::Status status = absl::InternalError("x");
    status.SetPayload("tenon.diagnostic", absl::Cord(payload));
    INFO(payload);
    CHECK(!diagnostic_of(status).has_value());
  }
}

TEST_CASE("context fills in what was not known and keeps what was") {
  const std::source_location here = std::source_location::current();
  const absl::Status once = with_context(refuse("no"), 4, "fuse(i, j)", here);
  std::optional<Diagnostic> d = diagnostic_of(once);
  REQUIRE(d.has_value());
  CHECK(d->step == 4);
  CHECK(d->action == "fuse(i, j)");
  CHECK(d->line == static_cast<int>(here.line()));
  CHECK(std::string(once.message()) == "schedule step 4: fuse(i, j) refused at status_test.cpp:" +
                                           std::to_string(here.line()) + "\n  no");

  const absl::Status twice = with_context(once, 9, "other()", std::source_location::current());
  d = diagnostic_of(twice);
  REQUIRE(d.has_value());
  CHECK(d->step == 4);
  CHECK(d->action == "fuse(i, j)");
  CHECK(d->line == static_cast<int>(here.line()));
}

TEST_CASE("context keeps success, the code and a foreign message") {
  const std::source_location here = std::source_location::current();
  CHECK(with_context(absl::OkStatus(), 1, "split(i, 2)", here).ok());
  const absl::Status status = with_context(absl::NotFoundError("no such file"), 1, "load()", here);
  CHECK(status.code() == absl::StatusCode::kNotFound);
  REQUIRE(diagnostic_of(status).has_value());
  CHECK(diagnostic_of(status)->reason == "no such file");
}

absl::StatusOr<int> half_of(int value) {
  if (value % 2 != 0) return refuse(std::to_string(value) + " is odd");
  return value / 2;
}

absl::StatusOr<int> quarter_of(int value) {
  TENON_ASSIGN_OR_RETURN(const int half, half_of(value));
  TENON_ASSIGN_OR_RETURN(const int quarter, half_of(half));
  return quarter;
}

absl::Status check_quarter(int value) {
  TENON_RETURN_IF_ERROR(quarter_of(value).status());
  return absl::OkStatus();
}

TEST_CASE("the macros pass a refusal on and let a value through") {
  CHECK(*quarter_of(12) == 3);
  CHECK(std::string(quarter_of(6).status().message()) == "3 is odd");
  CHECK(check_quarter(8).ok());
  CHECK(std::string(check_quarter(7).message()) == "7 is odd");
}

}  // namespace
}  // namespace tenon
