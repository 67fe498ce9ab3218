#include "tenon/runtime/executor.h"

namespace tenon {

void SerialExecutor::parallel_for(int64_t count, int64_t, tenon_task task, void* context) {
  if (count > 0) task(context, 0, count, 0);
}

tenon_executor executor_table(Executor& executor) {
  return {&executor, [](void* self, int64_t count, int64_t grain, tenon_task task, void* context) {
            static_cast<Executor*>(self)->parallel_for(count, grain, task, context);
          }};
}

}  // namespace tenon
