/** For other features: what a workspace has learnt and approved. */
export { approvedLearnings } from './store.js'
