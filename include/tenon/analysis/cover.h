// Does a store surely write what another access touches?
//
//   const std::vector<Access> all = accesses_of(body);
//   covers(all[0], all[1], facts);          // all[0] stores every element that all[1] reads
//   covers_before(all[0], all[1], facts);   // and does so first
#pragma once

#include "tenon/analysis/access.h"
#include "tenon/analysis/facts.h"

namespace tenon {

// What is known in an iteration in which the access happens. `facts` are those of the statement
// that it was found in.
Facts facts_at(const Access& a, const Facts& facts);

// In every iteration in which `use` happens, the store happens for the same element in some
// iteration. Shown by giving that iteration; false also where none was found. Neither may depend
// on data. Both were found in one statement, with these facts.
bool covers(const Access& store, const Access& use, const Facts& facts);
// The same, and the store happens before the use.
bool covers_before(const Access& store, const Access& use, const Facts& facts);

}  // namespace tenon
