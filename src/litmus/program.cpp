#include "litmus/program.hpp"

namespace ranklet::litmus {

const char* name(Order order)
{
  switch (order) {
    case Order::plain:
      return "plain";
    case Order::relaxed:
      return "relaxed";
    case Order::acquire:
      return "acquire";
    case Order::release:
      return "release";
    case Order::acq_rel:
      return "acq_rel";
    case Order::seq_cst:
      return "seq_cst";
  }
  return "?";
}

std::string text(const Op& op)
{
  const std::string where = std::string(" m") + std::to_string(op.location);
  const std::string order = std::string(" ") + name(op.order);
  const std::string wait =
      !op.expect      ? ""
      : op.mask == ~0 ? " until " + std::to_string(*op.expect)
                      : " until (it & " + std::to_string(op.mask) + ") is " + std::to_string(*op.expect);
  switch (op.kind) {
    case Kind::load:
      return "load" + where + order + wait;
    case Kind::store:
      return "store" + where + " " + (op.from ? "r" + std::to_string(*op.from) : std::to_string(op.value)) +
             order;
    case Kind::update:
      return "add" + where + " " + std::to_string(op.value) + order + wait;
    case Kind::fence:
      return "fence" + order;
  }
  return "?";
}

std::string text(const Program& program)
{
  std::string all;
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    all += "P" + std::to_string(t) + ":";
    for (const Op& op : program.threads[t]) all += "  " + text(op) + ";";
    all += "\n";
  }
  return all;
}

}  // namespace ranklet::litmus
