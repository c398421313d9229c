export { answerFunnel } from './answer.js'
export { type FunnelPerson, funnelPersons } from './funnel-persons.js'
export {
  createFunnel,
  deleteFunnel,
  exclusionProblems,
  type StepInput,
  toSteps,
  updateFunnel,
} from './operations.js'
export { type FunnelRow, findFunnel, listFunnels, lockFunnel } from './store.js'
export { updateEventName, updateEventProperty } from './vocabulary.js'
