#include <cstdio>

#include "tenon/base/type.h"

int main() {
  std::puts(tenon::to_string(tenon::bf16).c_str());
  return tenon::bf16.bytes() == 2 ? 0 : 1;
}
