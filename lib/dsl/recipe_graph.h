// The recipes behind a list of outputs, in an order in which every tensor is computed before it is
// read, with the tensors that somebody reads of each.
//
// What reads an inout reads it as it was, and so stands before what writes it in place.
//
// What a step of a scan computes uses the indices of the scan or reads its states, itself or
// through what it reads, and so belongs inside its loop: into the innermost one, where scans nest.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "dsl/definition.h"
#include "tenon/base/status.h"

namespace tenon::dsl {

class RecipeGraph {
 public:
  // The recipes of these buffers, and of everything that they read. An error when an expression
  // carries a mistake, or when something is read that is neither computed nor in `given`.
  absl::Status add(const std::vector<Buffer>& roots, const std::set<Buffer>& given,
                   const std::string& program);

  const std::vector<const Recipe*>& order() const { return order_; }
  // The outermost recipes (of null), or those that belong inside the loop of a scan.
  std::vector<const Recipe*> inside(const Recipe* scan) const;
  // In the order in which they were met.
  const std::vector<Buffer>& results_of(const Recipe& recipe) const { return results_.at(&recipe); }

 private:
  struct Pending {
    const Recipe* recipe;
    bool read_first;  // what it reads stands in the order
  };
  absl::Status meet(const Buffer& buffer, std::vector<Pending>& work);
  void find_needs(const Recipe& recipe);
  const Recipe* owner_of(const Recipe& recipe) const;
  int depth_of(const Recipe& scan) const;
  absl::Status check_root(const Buffer& root) const;
  absl::Status order_in_place();
  absl::Status refuse_cycle(const std::vector<const Recipe*>& waiting) const;

  std::vector<const Recipe*> order_;
  std::map<const Recipe*, std::vector<Buffer>> results_;
  std::set<const Recipe*> done_;
  std::set<Buffer> given_;
  std::map<uint64_t, const Recipe*> scan_of_;  // of the ids of its indices and states
  std::map<uint64_t, std::string> names_;      // of the ids that recipes need
  // The ids of indices and states that a recipe uses and does not bind.
  std::map<const Recipe*, std::set<uint64_t>> needs_;
  std::string program_;
};

bool reads(const Recipe& recipe, const Buffer& buffer);

// "the definition of y", also of a tensor that has no name.
std::string definition_of(const Buffer& buffer);

// The first mistake in an expression; `where` begins the message.
absl::Status check_expr(const Expr& e, const std::string& where);
absl::Status check_shape(const std::vector<Expr>& shape, const std::string& name);

}  // namespace tenon::dsl
