#include <cstdio>

#include "kernel.h"

int main() {
  const std::string wrong = compile_and_run();
  std::puts(wrong.c_str());
  return wrong.empty() ? 0 : 1;
}
