export { draftLearning, type FrozenResults, hashOfEvidence } from './draft-learning.js'
export {
  approvedLearnings,
  findLearning,
  hasLearning,
  INTERPRETATION_LENGTH,
  insertLearning,
  LEARNING_DECISIONS,
  type LearningDecision,
  type LearningRow,
  listLearnings,
  lockLearning,
  REVIEW_STATUSES,
} from './store.js'
export { updateLearning } from './update-learning.js'
