#include "ranks/progress_functions.hpp"

namespace ranklet {

template class ProgressList<memmodel::Native>;

}  // namespace ranklet
