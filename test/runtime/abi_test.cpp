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
  const std::string command = "cc -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I" +
                              root + "/include -include " + root +
                              "/include/tenon/runtime/abi.h -x c /dev/null";
  INFO(command);
  CHECK(std::system(command.c_str()) == 0);
}

TEST_CASE("the default mathematics is that of the C library") {
  const tenon_math& math = default_math();
  // Read when the test runs: the compiler would fold calls with a better rounding.
  const volatile float xf = 0.5f, yf = 1.5f;
  const volatile double x = 0.5, y = 1.5;
  CHECK(math.exp_f32(xf) == std::exp(xf));
  CHECK(math.expm1_f32(xf) == std::expm1(xf));
  CHECK(math.log_f32(xf) == std::log(xf));
  CHECK(math.log1p_f32(xf) == std::log1p(xf));
  CHECK(math.sin_f32(xf) == std::sin(xf));
  CHECK(math.cos_f32(xf) == std::cos(xf));
  CHECK(math.tan_f32(xf) == std::tan(xf));
  CHECK(math.asin_f32(xf) == std::asin(xf));
  CHECK(math.acos_f32(xf) == std::acos(xf));
  CHECK(math.atan_f32(xf) == std::atan(xf));
  CHECK(math.sinh_f32(xf) == std::sinh(xf));
  CHECK(math.cosh_f32(xf) == std::cosh(xf));
  CHECK(math.tanh_f32(xf) == std::tanh(xf));
  CHECK(math.asinh_f32(xf) == std::asinh(xf));
  CHECK(math.acosh_f32(yf) == std::acosh(yf));
  CHECK(math.atanh_f32(xf) == std::atanh(xf));
  CHECK(math.erf_f32(xf) == std::erf(xf));
  CHECK(math.pow_f32(xf, 3.0f) == std::pow(xf, 3.0f));
  CHECK(math.fmod_f32(-5.5f, 3.0f) == -2.5f);
  CHECK(math.exp_f64(x) == std::exp(x));
  CHECK(math.expm1_f64(x) == std::expm1(x));
  CHECK(math.log_f64(x) == std::log(x));
  CHECK(math.log1p_f64(x) == std::log1p(x));
  CHECK(math.sin_f64(x) == std::sin(x));
  CHECK(math.cos_f64(x) == std::cos(x));
  CHECK(math.tan_f64(x) == std::tan(x));
  CHECK(math.asin_f64(x) == std::asin(x));
  CHECK(math.acos_f64(x) == std::acos(x));
  CHECK(math.atan_f64(x) == std::atan(x));
  CHECK(math.sinh_f64(x) == std::sinh(x));
  CHECK(math.cosh_f64(x) == std::cosh(x));
  CHECK(math.tanh_f64(x) == std::tanh(x));
  CHECK(math.asinh_f64(x) == std::asinh(x));
  CHECK(math.acosh_f64(y) == std::acosh(y));
  CHECK(math.atanh_f64(x) == std::atanh(x));
  CHECK(math.erf_f64(x) == std::erf(x));
  CHECK(math.pow_f64(x, 3.0) == std::pow(x, 3.0));
  CHECK(math.fmod_f64(-5.5, 3.0) == -2.5);
}

}  // namespace tenon
