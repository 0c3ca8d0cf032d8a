#include "comm/attributes.hpp"

#include <algorithm>

#include "terms/error.hpp"

namespace ranklet {

namespace {

// The user's code is handed on as it is: it may be one that the user added.
void check(int code, const char* function, const Keyval& keyval)
{
  if (code != 0)
    fail(static_cast<ErrorClass>(code), "the %s function of attribute key %d returned %d", function,
         keyval.number(), code);
}

}  // namespace

int KeyvalTable::add(KeyvalPtr keyval)
{
  const Holder guard(lock_);
  keyval->number_ = next_++;
  const int number = keyval->number_;
  keyvals_.emplace(number, std::move(keyval));
  return number;
}

namespace {

KeyvalPtr check_kind(KeyvalPtr keyval, int number, Keyval::Kind kind)
{
  if (!keyval || keyval->kind() != kind)
    fail(ErrorClass::keyval, "%d is no attribute key for this kind of object", number);
  return keyval;
}

}  // namespace

KeyvalPtr KeyvalTable::find(int number, Keyval::Kind kind) const
{
  const Holder guard(lock_);
  if (const auto found = keyvals_.find(number); found != keyvals_.end())
    return check_kind(found->second, number, kind);
  const auto freed = freed_.find(number);
  return check_kind(freed != freed_.end() ? freed->second.lock() : nullptr, number, kind);
}

void KeyvalTable::remove(int number, Keyval::Kind kind)
{
  KeyvalPtr keyval;  // goes after the lock
  const Holder guard(lock_);
  const auto found = keyvals_.find(number);
  keyval = check_kind(found != keyvals_.end() ? found->second : nullptr, number, kind);
  keyvals_.erase(found);
  std::erase_if(freed_, [](const auto& entry) { return entry.second.expired(); });
  // The table's reference is gone: another one than ours is that of a value, or of a call under way.
  if (keyval.use_count() > 1) freed_.emplace(number, keyval);
}

std::optional<void*> AttributeSet::get(const Keyval& keyval) const noexcept
{
  for (const Attribute& attribute : attributes_)
    if (attribute.keyval.get() == &keyval) return attribute.value;
  return std::nullopt;
}

void AttributeSet::set(void* object, KeyvalPtr keyval, void* value)
{
  remove(object, *keyval);
  attributes_.push_back({std::move(keyval), value});
}

void AttributeSet::remove(void* object, const Keyval& keyval)
{
  const std::optional<void*> value = get(keyval);
  if (!value) return;
  // Kept alive: the function may free the key.
  const auto found = std::find_if(attributes_.begin(), attributes_.end(), [&](const Attribute& attribute) {
    return attribute.keyval.get() == &keyval;
  });
  const KeyvalPtr keep = found->keyval;
  check(keep->remove(object, *value), "delete", keyval);
  erase(*keep);
}

void AttributeSet::clear(void* object)
{
  while (!attributes_.empty()) remove(object, *KeyvalPtr(attributes_.back().keyval));
}

void AttributeSet::copy_to(void* object, AttributeSet& target, void* copy) const
{
  const std::vector<Attribute> attributes = attributes_;  // the functions may change ours
  for (const Attribute& attribute : attributes) {
    void* value = nullptr;
    bool wanted = false;
    const int code = attribute.keyval->copy(object, attribute.value, &value, &wanted);
    if (code != 0) {
      try {
        target.clear(copy);
      } catch (const Error&) {
        // The copy function's error is the one to report.
      }
      check(code, "copy", *attribute.keyval);
    }
    if (wanted) target.attributes_.push_back({attribute.keyval, value});
  }
}

void AttributeSet::erase(const Keyval& keyval) noexcept
{
  const auto found = std::find_if(attributes_.begin(), attributes_.end(), [&](const Attribute& attribute) {
    return attribute.keyval.get() == &keyval;
  });
  if (found != attributes_.end()) attributes_.erase(found);
}

}  // namespace ranklet
