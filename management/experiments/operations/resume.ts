import { moveOperation } from './move-on.js'

export const resumeExperiment = moveOperation('resume', { move: 'resume' }, 'Resumed')
