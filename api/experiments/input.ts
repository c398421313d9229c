import type { ErrorDetail } from '../../management/domain-errors.js'
import {
  controlSplitProblems,
  EXPERIMENT_LIMITS,
  isUsableKey,
  splitProblems,
  type TargetInput,
  toVariants,
} from '../../management/experiments/index.js'
import type { ExperimentChanges } from '../../management/workflows/update.js'
import { comparisonProblems } from '../funnels/funnel-query.js'
import type { Rule } from '../http/route.js'
import type { CreateExperimentBody } from './schemas.js'

/** Targets and sizing that are written. All targets are measured by one query. */
export const targetRules: readonly Rule<Pick<ExperimentChanges, 'conversionTargets' | 'sizing'>>[] = [
  {
    of: ['conversionTargets'],
    problems: ({ conversionTargets: targets }) => (targets === undefined ? [] : roleProblems(targets)),
  },
  {
    of: ['sizing'],
    problems: ({ sizing }) =>
      sizing?.minimumEffect === 0 ? [{ path: '/sizing/minimumEffect', message: 'must not be 0' }] : [],
  },
  {
    of: ['conversionTargets'],
    problems: ({ conversionTargets = [] }) =>
      comparisonProblems({ '/conversionTargets': conversionTargets.flatMap(({ filters = [] }) => filters) }),
  },
]

function roleProblems(targets: readonly TargetInput[]): ErrorDetail[] {
  const guardrails = targets.filter(({ role }) => role === 'guardrail').length
  const { targets: mostTargets, guardrails: mostGuardrails } = EXPERIMENT_LIMITS
  const path = '/conversionTargets'
  const others = targets.length - guardrails
  return [
    ...(others === 0 ? [{ path, message: 'must have a target that is not a guardrail' }] : []),
    ...(others > mostTargets
      ? [{ path, message: `may have at most ${mostTargets} targets that are not guardrails` }]
      : []),
    ...(guardrails > mostGuardrails
      ? [{ path, message: `may have at most ${mostGuardrails} guardrails` }]
      : []),
    ...targets.flatMap(({ role, margin }, index) =>
      (role === 'guardrail') === (margin !== undefined)
        ? []
        : [
            {
              path: `${path}/${index}/margin`,
              message: margin === undefined ? 'is required of a guardrail' : 'is for guardrails only',
            },
          ],
    ),
  ]
}

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
              message:
                'must not be `counts`, `generate`, `power`, a UUID or a device on Windows such as `con`',
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
