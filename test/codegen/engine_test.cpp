// The engine: texts, threads, and memory that comes back.
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "support/native.h"

using namespace tenon;

namespace {

std::string scale_text(int factor) {
  return "program scale" + std::to_string(factor) +
         "\n  input x: f32[64]\n  output out: f32[64]\n{\n"
         "  for i in 0..4 { out[ramp(i * 16, 1, 16)] = x[ramp(i * 16, 1, 16)] * broadcast(" +
         std::to_string(factor) + ".0, 16) }\n}\n";
}

Program scale(int factor) {
  const absl::StatusOr<Program> program = parse(scale_text(factor));
  REQUIRE(program.ok());
  return *program;
}

// The first output for x = 1, 1, 1 ...
float run(const Code& code) {
  std::vector<float> x(64, 1.0f), out(64);
  void* buffers[] = {x.data(), out.data()};
  tenon_fault fault{-1, 0, 0};
  const tenon_call call{buffers, nullptr, nullptr, nullptr, nullptr, nullptr, &fault};
  code.entry()(&call);
  return out[63];
}

// Resident memory of this process.
int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

bool is_mapped(const void* address) {
  std::ifstream file("/proc/self/maps");
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  for (std::string line; std::getline(file, line);) {
    uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2 && wanted >= begin &&
        wanted < end) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("the texts are kept when asked for") {
  CodeEngine& engine = test::engine_for(test::native_targets()[0]);
  const auto with = engine.compile(scale(3), {.keep_text = true});
  REQUIRE(with.ok());
  CHECK((*with)->llvm_ir().find("define void @tenon_scale3(") != std::string::npos);
  CHECK((*with)->assembly().find("tenon_scale3:") != std::string::npos);
  const auto without = engine.compile(scale(3), {});
  REQUIRE(without.ok());
  CHECK((*without)->llvm_ir().empty());
  CHECK((*without)->assembly().empty());
  CHECK((*without)->bytes() == (*with)->bytes());
  CHECK((*without)->bytes() > 20);
  CHECK((*without)->bytes() < 1000);
  CHECK((*without)->times().machine > 0);
  CHECK(run(**without) == 3.0f);
}

TEST_CASE("the version of LLVM is known") { CHECK(llvm_version().find('.') != std::string::npos); }

TEST_CASE("a program that is not lowered is an internal error") {
  CodeEngine& engine = test::engine_for(test::native_targets()[0]);
  for (const char* body :
       {"for i in 0..4 { vector for j in 0..4 { out[i * 4 + j] = 1.0 } }",
        "unroll for i in 0..16 { out[i] = 1.0 }", "alloc t: f32[4]\n t[0] = 1.0\n out[0] = t[0]"}) {
    const auto program =
        parse(std::string("program p\n  output out: f32[16]\n{\n") + body + "\n}\n");
    REQUIRE(program.ok());
    const auto code = engine.compile(*program, {});
    CHECK(code.status().code() == absl::StatusCode::kInternal);
  }
}

TEST_CASE("two engines live in one process") {
  const Target& target = test::native_targets()[0];
  auto first = *CodeEngine::create(target), second = *CodeEngine::create(target);
  auto a = *first->compile(scale(2), {}), b = *second->compile(scale(2), {});
  auto c = *first->compile(scale(5), {});
  CHECK(run(*a) == 2.0f);
  CHECK(run(*b) == 2.0f);
  a.reset();
  c.reset();
  first.reset();
  CHECK(run(*b) == 2.0f);
}

TEST_CASE("the name of a program is made a symbol") {
  ProgramData data = *scale(2);
  data.name = "relu(x) + \"b\" / 7";
  const auto code = test::engine_for(test::native_targets()[0]).compile(Program(data), {});
  REQUIRE(code.ok());
  CHECK(run(**code) == 2.0f);
}

TEST_CASE("eight threads compile at once") {
  CodeEngine& engine = test::engine_for(test::native_targets().back());
  std::vector<Program> programs;
  for (int i = 0; i < 8; ++i) programs.push_back(scale(i + 1));
  std::vector<int> right(8, 0);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 10; ++i) {
        const size_t k = (t + i) % 8;
        const auto code = engine.compile(programs[k], {});
        right[t] += code.ok() && run(**code) == static_cast<float>(k + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::vector<int>(8, 10));
}

TEST_CASE("code is unmapped when its owner goes") {
  CodeEngine& engine = test::engine_for(test::native_targets()[0]);
  auto code = *engine.compile(scale(2), {});
  const void* entry = reinterpret_cast<const void*>(code->entry());
  CHECK(is_mapped(entry));
  code.reset();
  CHECK_FALSE(is_mapped(entry));
}

// A sanitizer keeps what was freed for a while.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("memory stays flat over many kernels") {
  CodeEngine& engine = test::engine_for(test::native_targets()[0]);
  const Program program = scale(2);
  const auto cycle = [&](int count) {
    for (int i = 0; i < count; ++i) REQUIRE(engine.compile(program, {}).ok());
  };
  cycle(200);
  const int64_t before = resident_bytes();
  cycle(300);
  const double grown = static_cast<double>(resident_bytes()) / static_cast<double>(before);
  CHECK(grown < 1.05);
}
#endif

// Some seconds long, so not part of every run: test_codegen "[.slow]".
TEST_CASE("memory stays flat over two thousand kernels", "[.slow]") {
  CodeEngine& engine = test::engine_for(test::native_targets()[0]);
  const Program program = scale(2);
  int64_t before = 0;
  for (int i = 0; i < 2000; ++i) {
    if (i == 200) before = resident_bytes();
    REQUIRE(engine.compile(program, {}).ok());
  }
  CHECK(static_cast<double>(resident_bytes()) / static_cast<double>(before) < 1.05);
}
