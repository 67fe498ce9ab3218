#include <cstdio>

#include "absl/status/statusor.h"
#include "tenon/base/status.h"
#include "tenon/base/type.h"

int main() {
  const tenon::Type type = tenon::f32.with_lanes(16);
  std::puts(tenon::to_string(type).c_str());
  return tenon::parse_type("f32x16") == type ? 0 : 1;
}
