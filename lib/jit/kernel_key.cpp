#include "jit/kernel_key.h"

#include "tenon/base/hash.h"

namespace tenon {

KernelKey make_key(Program program, std::vector<StrideClass> strides, bool keep_text) {
  KernelKey key;
  key.hash = hash_combine(structural_hash(program), keep_text);
  for (StrideClass c : strides) key.hash = hash_combine(key.hash, static_cast<uint64_t>(c));
  key.program = std::move(program);
  key.strides = std::move(strides);
  key.keep_text = keep_text;
  return key;
}

bool operator==(const KernelKey& a, const KernelKey& b) {
  return a.hash == b.hash && a.keep_text == b.keep_text && a.strides == b.strides &&
         structurally_equal(a.program, b.program);
}

}  // namespace tenon
