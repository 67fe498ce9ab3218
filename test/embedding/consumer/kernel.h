#pragma once

// Compiles a fused kernel, runs it and compares it with plain loops. Returns what went wrong, or
// "".
#include <string>

std::string compile_and_run();
