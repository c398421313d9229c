export { currentResults } from './current-results.js'
export { measure, measuredExperiment, measuredUntil, measureSegments } from './measure.js'
export { REFRESH_MS, refreshDue } from './refresh.js'
export { keepResults } from './store.js'
