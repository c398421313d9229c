export { answerFunnel } from './answer.js'
export { createFunnel, deleteFunnel, toSteps, updateFunnel } from './operations.js'
export { type FunnelRow, findFunnel, listFunnels } from './store.js'
