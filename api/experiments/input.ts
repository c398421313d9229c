import { isUsableKey, splitProblems } from '../../management/experiments/input.js'
import type { Rule } from '../frame/route.js'
import type { CreateExperimentBody } from './schemas.js'

/** Of a new experiment. */
export const createRules: readonly Rule<CreateExperimentBody>[] = [
  { of: ['variants'], problems: ({ variants }) => splitProblems(variants) },
  {
    of: ['key'],
    problems: ({ key }) =>
      key === undefined || isUsableKey(key)
        ? []
        : [{ path: '/key', message: 'must be neither counts nor generate nor a UUID' }],
  },
  {
    of: ['changes'],
    problems({ changes = [] }) {
      const paths = changes.map(({ path }) => path)
      return paths.flatMap((path, index) =>
        paths.indexOf(path) < index
          ? [{ path: `/changes/${index}/path`, message: 'is changed more than once' }]
          : [],
      )
    },
  },
]
