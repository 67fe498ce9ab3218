#include "dsl/definition.h"

#include <utility>

namespace tenon {

// The last tensor of a chain holds all those before it, each through the one behind it. Destroyed
// as they hang, they would nest as deep as the chain is long; so the outermost takes them over and
// lets go of one after the other.
Definition::~Definition() {
  thread_local std::vector<Expr>* waiting = nullptr;
  if (waiting) {
    waiting->push_back(std::move(value));
    return;
  }
  std::vector<Expr> all;
  all.push_back(std::move(value));
  waiting = &all;
  while (!all.empty()) {
    const Expr next = std::move(all.back());
    all.pop_back();
  }
  waiting = nullptr;
}

}  // namespace tenon
