#include "api/handles/type_state.hpp"

namespace ranklet::api {

namespace {

struct DerivedAttributes : Datatype::Attachment {
  AttributeSet set;
};

}  // namespace

AttributeSet& TypeState::attributes(Datatype& type)
{
  const Holder guard(lock_);
  if (type.is_predefined()) return attributes_[&type];
  if (!type.attachment()) type.attachment() = std::make_unique<DerivedAttributes>();
  return static_cast<DerivedAttributes&>(*type.attachment()).set;
}

std::string TypeState::name(Datatype& type)
{
  if (!type.is_predefined()) return type.name();
  const Holder guard(lock_);
  const auto found = names_.find(&type);
  return found != names_.end() ? found->second : type.name();
}

void TypeState::set_name(Datatype& type, std::string name)
{
  if (!type.is_predefined()) return type.set_name(std::move(name));
  const Holder guard(lock_);
  names_[&type] = std::move(name);
}

}  // namespace ranklet::api
