import { moveOperation } from './move-on.js'

/** Pausing stops serving variants, not measuring. */
export const pauseExperiment = moveOperation('pause', { move: 'pause' }, 'Paused')
