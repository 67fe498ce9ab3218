// A mistake in a few lines of C++, and what is said about it: the message is a golden file.
//
//   for (const Spoken& c : all) check_spoken("steps", c);      // test/golden/messages/steps/*.txt
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "support/golden.h"
#include "tenon/schedule/schedule.h"

namespace tenon::test {

struct Spoken {
  const char* name;
  std::function<std::string()> message;
};

inline void check_spoken(const std::string& family, const Spoken& c) {
  const std::string message = c.message();
  CHECK_FALSE(message.empty());
  check_golden("messages/" + family + "/" + c.name, message + "\n");
}

inline std::string said(const absl::Status& status) { return std::string(status.message()); }
inline std::string said(const Schedule& s) { return said(s.status()); }
template <class T>
std::string said(const absl::StatusOr<T>& result) {
  return said(result.status());
}

}  // namespace tenon::test
