#include "analysis/place.h"

#include <algorithm>

#include "analysis/text.h"

namespace tenon {
namespace {

class Finder {
 public:
  explicit Finder(const std::function<bool(const Stmt&)>& wanted) : wanted_(wanted) {}

  bool find(const Stmt& s) {
    if (wanted_(s)) {
      place_.statement = &s;
      return true;
    }
    const size_t size = place_.around.size();
    place_.around.push_back(&s);
    if (find_inside(s)) return true;
    place_.around.resize(size);
    return false;
  }

  Place take() { return std::move(place_); }

 private:
  bool find_inside(const Stmt& s) {
    if (const For* loop = s.as<For>()) return find(loop->body);
    if (const If* guard = s.as<If>()) return find(guard->body);
    const Seq* list = s.as<Seq>();
    if (!list) return false;
    for (const Stmt& part : list->stmts) {
      if (find(part)) return true;
      if (part.is<Bind>()) place_.around.push_back(&part);
    }
    return false;
  }

  const std::function<bool(const Stmt&)>& wanted_;
  Place place_{nullptr, {}};
};

}  // namespace

Facts Place::facts(const Program& program) const {
  Facts facts = facts_of(program);
  for (const Stmt* s : around) {
    if (const For* loop = s->as<For>()) facts = facts.inside(*loop);
    if (const If* guard = s->as<If>()) facts = facts.given(guard->condition);
    if (const Bind* name = s->as<Bind>()) facts = facts.bound(*name);
  }
  return facts;
}

std::vector<Stmt> Place::rest() const {
  auto outer = around.rbegin();
  while (outer != around.rend() && (*outer)->is<Bind>()) ++outer;
  const Seq* list = outer == around.rend() ? nullptr : (*outer)->as<Seq>();
  if (!list) return {};
  const auto here = std::find_if(list->stmts.begin(), list->stmts.end(),
                                 [&](const Stmt& s) { return &s == statement; });
  return {here + 1, list->stmts.end()};
}

std::optional<Place> find_place(const Stmt& body, const std::function<bool(const Stmt&)>& wanted) {
  if (!body) return std::nullopt;
  Finder finder(wanted);
  if (!finder.find(body)) return std::nullopt;
  return finder.take();
}

absl::Status is_local(const Buffer& buffer, const Program& program,
                      const std::function<std::string()>& subject) {
  const bool is_param = find_param(program, buffer);
  if (!is_param && !find_table(program, buffer)) return absl::OkStatus();
  return refuse((subject ? subject() : text_of(buffer, program)) + " is a " +
                (is_param ? "parameter" : "table") + " of the program, not a local buffer");
}

}  // namespace tenon
