#include "tenon/runtime/abi.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

#include "abi_layout.h"
#include "tenon/runtime/math.h"

namespace tenon {

TEST_CASE("the C interface compiles as C") {
  if (std::system("cc --version > /dev/null 2>&1") != 0) {
    WARN("there is no C compiler here");
    return;
  }
  const std::string root = TENON_SOURCE_DIR;
  for (const char* standard : {"c11", "c17"}) {
    const std::string command = std::string("cc -std=") + standard +
                                " -Wall -Wextra -Wpedantic -Wstrict-prototypes -Werror "
                                "-fsyntax-only -I" +
                                root + "/include " + root + "/test/runtime/abi_in_c.c";
    INFO(command);
    CHECK(std::system(command.c_str()) == 0);
  }
  // Older C has no static assertion, but the header itself must do.
  const std::string command =
      "cc -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -include " + root +
      "/include/tenon/runtime/abi.h -x c /dev/null";
  INFO(command);
  CHECK(std::system(command.c_str()) == 0);
}

TEST_CASE("the default mathematics is that of the C library") {
  const tenon_math& math = default_math();
  CHECK(math.exp_f32(0.5f) == std::exp(0.5f));
  CHECK(math.log_f32(0.5f) == std::log(0.5f));
  CHECK(math.tanh_f32(0.5f) == std::tanh(0.5f));
  CHECK(math.erf_f32(0.5f) == std::erf(0.5f));
  CHECK(math.sin_f32(0.5f) == std::sin(0.5f));
  CHECK(math.cos_f32(0.5f) == std::cos(0.5f));
  CHECK(math.pow_f32(0.5f, 3.0f) == std::pow(0.5f, 3.0f));
  CHECK(math.exp_f64(0.5) == std::exp(0.5));
  CHECK(math.log_f64(0.5) == std::log(0.5));
  CHECK(math.tanh_f64(0.5) == std::tanh(0.5));
  CHECK(math.erf_f64(0.5) == std::erf(0.5));
  CHECK(math.sin_f64(0.5) == std::sin(0.5));
  CHECK(math.cos_f64(0.5) == std::cos(0.5));
  CHECK(math.pow_f64(0.5, 3.0) == std::pow(0.5, 3.0));
}

}  // namespace tenon
