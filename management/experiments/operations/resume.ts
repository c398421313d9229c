import { transitionOperation } from './transition.js'

export const resumeExperiment = transitionOperation('resume', { name: 'resume' }, 'Resumed')
