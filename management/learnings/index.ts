export { draftLearning, type FrozenResults, hashOfEvidence } from './draft-learning.js'
export * from './store.js'
export { updateLearning } from './update-learning.js'
