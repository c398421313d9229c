export { erasureJob } from './erasure-job.js'
export { exportPerson } from './export-person.js'
export { requestErasure } from './request-erasure.js'
export { SWEEP_PRIVACY_MS, sweepPrivacy } from './sweep.js'
