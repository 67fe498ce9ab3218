// How Tenon refuses: an absl::Status whose message reads as a sentence and whose payload says the
// same thing in fields.
//
//   absl::Status s = refuse("the factor of a split must be at least 1, and it is 0");
//   if (std::optional<Diagnostic> d = diagnostic_of(s)) show(d->file, d->line, d->reason);
//   std::cout << s.message();
//
// A layer deep inside states the reason, the missing facts and what would be legal; a layer further
// out adds the step and the user's place with `with_context`. The text is made by one printer.
#pragma once

#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tenon {

struct Diagnostic {
  int step = 0;                      // 1-based schedule step; 0: not a schedule step
  std::string action;                // what was asked, as text: "reorder(k, i)"
  std::string file;                  // the user's file; empty when unknown
  int line = 0;                      // the user's line
  std::string reason;                // why not, one sentence without a full stop
  std::vector<std::string> missing;  // facts that would have made it pass
  std::vector<std::string> legal;    // what is legal here instead
};

// The printed form:
//   schedule step 3: reorder(k, i) refused at mykernel.cpp:42
//     iteration (i, k) must run before (i+1, k-1): both touch C[i, k]
//     missing fact: n % 16 == 0
//     legal here: reorder(i, j); split(i, ...)
std::string print(const Diagnostic& diagnostic);

// A refusal (InvalidArgument unless told otherwise) with this diagnostic as its payload.
absl::Status make_status(const Diagnostic& diagnostic,
                         absl::StatusCode code = absl::StatusCode::kInvalidArgument);
absl::Status refuse(std::string reason, std::vector<std::string> missing = {},
                    std::vector<std::string> legal = {});

// The diagnostic that a status carries; empty for an ok status and for one without payload.
std::optional<Diagnostic> diagnostic_of(const absl::Status& status);

// The same refusal with step, action and place filled in where they were not known before.
absl::Status with_context(const absl::Status& status, int step, std::string action,
                          std::source_location place);

}  // namespace tenon
