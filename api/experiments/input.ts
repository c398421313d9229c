import {
  controlSplitProblems,
  isUsableKey,
  splitProblems,
  toVariants,
} from '../../management/experiments/index.js'
import type { ExperimentChanges } from '../../management/workflows/update.js'
import { comparisonProblems } from '../funnels/funnel-query.js'
import type { Rule } from '../http/route.js'
import type { CreateExperimentBody } from './schemas.js'

/** Filters of targets that are written. All targets are measured by one query. */
export const targetRules: readonly Rule<Pick<ExperimentChanges, 'conversionTargets'>>[] = [
  {
    of: ['conversionTargets'],
    problems: ({ conversionTargets = [] }) =>
      comparisonProblems({ '/conversionTargets': conversionTargets.flatMap(({ filters = [] }) => filters) }),
  },
]

export const createRules: readonly Rule<CreateExperimentBody>[] = [
  ...targetRules,
  {
    of: ['variants'],
    problems: ({ variants }) => [...splitProblems(variants), ...controlSplitProblems(variants[0])],
  },
  {
    of: ['key'],
    problems: ({ key }) =>
      key === undefined || isUsableKey(key)
        ? []
        : [
            {
              path: '/key',
              message: 'must not be `counts`, `generate`, a UUID or a device on Windows such as `con`',
            },
          ],
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
  {
    of: ['changes'],
    problems: ({ changes = [] }) =>
      changes.flatMap(({ action, content, edits }, index) =>
        action === 'modify' && (content === undefined) === (edits === undefined)
          ? [{ path: `/changes/${index}`, message: 'must have either edits or content' }]
          : [],
      ),
  },
  {
    of: ['changes', 'variants'],
    problems({ changes = [], variants }) {
      const alternatives = toVariants(variants)
        .slice(1)
        .map(({ key }) => key)
      return changes.flatMap(({ edits = [] }, index) =>
        edits.flatMap(({ variant }, edit) =>
          variant === undefined || alternatives.includes(variant)
            ? []
            : [
                {
                  path: `/changes/${index}/edits/${edit}/variant`,
                  message: `must be one of ${alternatives.join(', ')}: the key of a variant other than the control`,
                },
              ],
        ),
      )
    },
  },
]
