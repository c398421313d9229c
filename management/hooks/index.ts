export { hookDeliveryJob } from './delivery-job.js'
export { createHook, deleteHook, MAX_HOOKS, retryDelivery, updateHook } from './operations.js'
export {
  DELIVERY_STATUSES,
  findHook,
  HOOK_FORMATS,
  listDeliveries,
  listHooks,
  lockHook,
  removeOldDeliveries,
  resealHooks,
} from './store.js'
