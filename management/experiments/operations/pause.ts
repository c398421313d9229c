import { transitionOperation } from './transition.js'

/** Pausing stops serving variants, not measuring. */
export const pauseExperiment = transitionOperation('pause', { name: 'pause' }, 'Paused')
