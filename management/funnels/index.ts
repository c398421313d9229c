export { answerFunnel } from './answer.js'
export { createFunnel, deleteFunnel, toSteps, updateFunnel } from './operations.js'
export { type FunnelRow, findFunnel, listFunnels, lockFunnel } from './store.js'
