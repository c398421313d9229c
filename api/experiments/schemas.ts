import { type Static, type TProperties, Type } from '@sinclair/typebox'
import { STATUSES } from '../../domain/lifecycle.js'
import { KEY_LENGTH, KEY_PATTERN } from '../../domain/slug.js'
import {
  type Change,
  DEFAULT_ALPHA,
  DEFAULT_POWER,
  EXPERIMENT_LIMITS,
  KINDS,
  KNOWN_DISMISSAL_REASONS,
  ORIGINS,
  PRIORITIES,
  REJECTED_STAGES,
  TEST_TYPES,
} from '../../management/experiments/index.js'
import { EventNameSchema, FilterSchema, filters } from '../funnels/schemas.js'
import { closed, flag, named, nameText, nullable, oneOf, time, unionBy, uuid } from '../http/schemas.js'
import { MetricSchema, ResultsSchema } from './results-schemas.js'

const name = nameText(EXPERIMENT_LIMITS.name, { examples: ['Shorter checkout'] })
const mechanism = Type.String({
  maxLength: EXPERIMENT_LIMITS.mechanism,
  description: 'Why it should work; may be empty',
})
const notes = Type.String({ maxLength: EXPERIMENT_LIMITS.notes })
const hypothesis = Type.String({ maxLength: EXPERIMENT_LIMITS.hypothesis })
const kind = oneOf(KINDS, { description: 'A label: every kind has the same lifecycle' })
const testType = oneOf(TEST_TYPES, { description: 'A label' })
const priority = oneOf(PRIORITIES)
const direction = oneOf(['increase', 'decrease'], {
  description: 'Direction in which a better variant moves the rate',
})
export const windowHours = Type.Number({
  exclusiveMinimum: 0,
  description: 'How long after the first exposure the event counts, inclusive. Defaults to any time',
})
const guardrailRole = Type.Unsafe<'guardrail'>({
  type: 'string',
  enum: ['guardrail'],
  description: 'A guardrail must not be harmed, and never makes a winner',
})
const margin = Type.Number({
  exclusiveMinimum: 0,
  maximum: 100,
  description: 'Of a guardrail: the relative lift in the wrong direction that is accepted',
  examples: [0.02],
})
const targetName = nameText(EXPERIMENT_LIMITS.targetName)
const trafficSplit = Type.Integer({ minimum: 0, maximum: 100, description: 'Percent' })
const displayName = nameText(EXPERIMENT_LIMITS.displayName, { examples: ['One page'] })

/** A file of the repository: a relative path with forward slashes, without `..`. */
const filePath = Type.String({
  minLength: 1,
  maxLength: EXPERIMENT_LIMITS.path,
  pattern: '^(?!/)(?!(.*/)?\\.{1,2}(/|$))(?!.*//)(?!.*\\\\)[^\\n\\r]*[^/\\n\\r]$',
  description: 'A file of the repository, from its root, with forward slashes',
  examples: ['src/checkout.html'],
})
/**
 * Compared literally: a file if there is a repository, else any name that a team gives a page of its site.
 */
const surfacePath = Type.String({
  minLength: 1,
  maxLength: EXPERIMENT_LIMITS.path,
  description: 'A file of the repository, from its root, or a page of the site',
  examples: ['src/checkout.html'],
})
const anchor = Type.String({
  minLength: 1,
  maxLength: EXPERIMENT_LIMITS.anchor,
  description: 'A part of it. Defaults to all of it',
  examples: ['#pay'],
})

const TargetInput = named(
  'ConversionTargetInput',
  closed({
    eventName: EventNameSchema,
    name: Type.Optional(Type.String({ ...targetName, description: 'Defaults to the event name' })),
    direction: Type.Optional({ ...direction, default: 'increase' }),
    windowHours: Type.Optional(Type.Unsafe<number | null>({ ...windowHours, type: ['number', 'null'] })),
    filters: Type.Optional(filters('All must hold')),
    metric: Type.Optional(MetricSchema),
    role: Type.Optional(guardrailRole),
    margin: Type.Optional(margin),
  }),
)

export const targetInputs = Type.Array(TargetInput, {
  minItems: 1,
  maxItems: EXPERIMENT_LIMITS.targets + EXPERIMENT_LIMITS.guardrails,
  description: `The first one is the primary target. At most ${EXPERIMENT_LIMITS.targets}, and ${EXPERIMENT_LIMITS.guardrails} guardrails, which are listed after the others`,
})

export const minimumEffect = Type.Number({
  exclusiveMinimum: -1,
  maximum: 100,
  description: 'The smallest relative effect worth finding, not 0: 0.1 is a tenth more than the control',
  examples: [0.1],
})
export const power = Type.Number({
  minimum: 0.5,
  maximum: 0.999,
  description: 'The chance to find an effect of that size',
})
export const alpha = Type.Number({
  minimum: 0.0001,
  maximum: 0.5,
  description: 'The chance to find an effect that is not there, two-sided',
})
const exposureEvent = {
  ...EventNameSchema,
  description: 'Its persons of the last 28 days tell the rate without the variants',
}

const SizingInput = named(
  'SizingInput',
  closed({
    minimumEffect,
    power: Type.Optional({ ...power, description: `${power.description}. Defaults to ${DEFAULT_POWER}` }),
    alpha: Type.Optional({ ...alpha, description: `${alpha.description}. Defaults to ${DEFAULT_ALPHA}` }),
    exposureEvent: Type.Optional(Type.Unsafe<string | null>({ ...exposureEvent, type: ['string', 'null'] })),
  }),
)
const sizingInput = nullable(SizingInput, { description: 'How many persons it is to have' })

const sizing = {
  minimumEffect,
  power,
  alpha,
  exposureEvent: nullable(EventNameSchema, { description: exposureEvent.description }),
}

const Surface = named(
  'Surface',
  closed({ path: surfacePath, anchor: nullable(anchor) }, { description: 'A part of the site' }),
)

const SurfaceInput = named(
  'SurfaceInput',
  closed({
    path: surfacePath,
    anchor: Type.Optional(Type.Unsafe<string | null>({ ...anchor, type: ['string', 'null'] })),
  }),
)

function changeOf(changeName: string, action: string, description: string, fields: TProperties) {
  return named(
    changeName,
    closed({ path: filePath, action: Type.String({ enum: [action] }), ...fields }, { description }),
  )
}

const Edit = closed({
  find: Type.String({ minLength: 1, description: 'Must occur in the file exactly once' }),
  replace: Type.String(),
  variant: Type.Optional(
    Type.String({
      description:
        'Key of the variant (not the control) that sees the replacement; `find` must then be a whole syntactic unit. Defaults to everybody',
    }),
  ),
})

const ChangeInput = named(
  'Change',
  unionBy<Change>('action', [
    changeOf('CreateFile', 'create', 'A new file', { content: Type.String() }),
    changeOf('ModifyFile', 'modify', 'Edits of a file that is there, or all of its content', {
      edits: Type.Optional(Type.Array(Edit, { minItems: 1, maxItems: EXPERIMENT_LIMITS.edits })),
      content: Type.Optional(Type.String()),
    }),
    changeOf('DeleteFile', 'delete', 'A file that goes', {}),
  ]),
)

const experimentKey = Type.String({
  pattern: KEY_PATTERN,
  maxLength: KEY_LENGTH,
  description: 'Unique in the workspace; identifies the experiment in code and events',
  examples: ['shorter-checkout'],
})

export const CreateExperimentSchema = named(
  'CreateExperiment',
  closed({
    name,
    key: Type.Optional({
      ...experimentKey,
      description:
        'Unique in the workspace: groups of `a-z 0-9` joined by `-`; not `counts`, `generate`, `power`, a UUID or a device on Windows such as `con`. Defaults to one made from the name',
    }),
    variants: Type.Array(named('VariantInput', closed({ displayName, trafficSplit })), {
      minItems: 2,
      maxItems: EXPERIMENT_LIMITS.variants,
      description:
        'The first one is the control; the splits add up to 100. Keys are made from the display names',
    }),
    conversionTargets: targetInputs,
    sizing: Type.Optional(sizingInput),
    mechanism: Type.Optional({ ...mechanism, default: '' }),
    notes: Type.Optional({ ...notes, default: '' }),
    hypothesis: Type.Optional({ ...hypothesis, default: '' }),
    kind: Type.Optional({ ...kind, default: 'experiment' }),
    testType: Type.Optional({ ...testType, default: 'dom' }),
    priority: Type.Optional({ ...priority, default: 'medium' }),
    surfaces: Type.Optional(
      Type.Array(SurfaceInput, {
        maxItems: EXPERIMENT_LIMITS.surfaces,
        description:
          'What it changes for visitors. Sharing one with an experiment in flight needs `acknowledgeOverlap`',
      }),
    ),
    changes: Type.Optional(
      Type.Array(ChangeInput, {
        maxItems: EXPERIMENT_LIMITS.changes,
        description: 'What its pull request changes, at most one change per file',
      }),
    ),
    acknowledgeOverlap: flag('Allow sharing a surface with an experiment in flight'),
  }),
)
export type CreateExperimentBody = Static<typeof CreateExperimentSchema>

export const splitInputs = Type.Array(
  named('VariantSplit', closed({ key: Type.String({ examples: ['one-page'] }), trafficSplit })),
  {
    minItems: 2,
    maxItems: EXPERIMENT_LIMITS.variants,
    description: 'All variants; the splits add up to 100',
  },
)

export const UpdateExperimentSchema = named(
  'UpdateExperiment',
  closed(
    {
      name: Type.Optional(name),
      mechanism: Type.Optional(mechanism),
      notes: Type.Optional(notes),
      hypothesis: Type.Optional(hypothesis),
      priority: Type.Optional(priority),
      variants: Type.Optional(splitInputs),
      conversionTargets: Type.Optional(targetInputs),
      sizing: Type.Optional(sizingInput),
    },
    { description: 'Only the fields sent change; `conversionTargets` are replaced as a whole' },
  ),
)

const PullRequest = named(
  'PullRequest',
  closed({
    number: nullable(Type.Integer()),
    url: nullable(Type.String()),
    branch: nullable(Type.String()),
    state: oneOf(['open', 'merged', 'closed', 'failed']),
    error: nullable(Type.String(), { description: 'Why it could not be written' }),
    body: Type.Optional(
      Type.String({ description: 'Its text in Markdown, in the detail of an experiment only' }),
    ),
  }),
)
export const pullRequest = (description: string) => nullable(PullRequest, { description })

const variantKey = Type.String({ description: 'Identifies the variant in code and exposures' })

const fields = {
  id: uuid('The experiment'),
  key: experimentKey,
  name,
  mechanism,
  notes,
  hypothesis,
  kind,
  testType,
  status: oneOf(STATUSES, {
    description: '`dismissed`, `pr_failed`, `shipped`, `rejected` and `concluded` are final',
  }),
  priority,
  origin: oneOf(ORIGINS, { description: '`api`: declared by a caller' }),
  experimentRunId: nullable(uuid('The generation run that proposed it')),
  variants: Type.Array(
    named('Variant', closed({ key: variantKey, displayName, trafficSplit, isControl: Type.Boolean() })),
  ),
  conversionTargets: Type.Array(
    named(
      'ConversionTarget',
      closed({
        eventName: EventNameSchema,
        name: Type.String(),
        direction,
        windowHours: nullable(windowHours),
        filters: Type.Array(FilterSchema),
        metric: Type.Optional(MetricSchema),
        role: Type.Optional(guardrailRole),
        margin: Type.Optional(margin),
      }),
    ),
    { description: 'The first one is the primary target; guardrails come last' },
  ),
  sizing: nullable(named('Sizing', closed(sizing)), { description: 'Null if it was not planned' }),
  surfaces: Type.Array(Surface),
  pullRequest: pullRequest('What brings the code in; null while there is none'),
  cleanupPullRequest: pullRequest('What takes the losing code out; null while there is none'),
  dismissal: nullable(
    closed({
      reasons: Type.Array(oneOf(KNOWN_DISMISSAL_REASONS)),
      note: nullable(Type.String()),
      dismissedAt: time('When it was dismissed'),
      personId: uuid('Who dismissed it'),
    }),
  ),
  rejectedStage: nullable(oneOf(REJECTED_STAGES), {
    description: '`pr`: its pull request was closed unmerged. `outcome`: decided. Null unless rejected',
  }),
  decision: nullable(
    closed({
      outcome: oneOf(['ship', 'reject']),
      variant: nullable(variantKey, { description: 'The shipped variant' }),
      reason: nullable(Type.String()),
      decidedAt: time('When it was decided'),
      settlesAt: time('When the decision takes effect'),
      personId: nullable(uuid('Who decided it'), { description: 'Null if that was not recorded' }),
    }),
  ),
  measurements: nullable(
    closed({
      usersExposed: nullable(Type.Integer()),
      estimatedLift: nullable(Type.Number()),
      confidence: nullable(Type.Number()),
      asOf: time('When they were computed'),
    }),
    { description: 'Null until something was measured' },
  ),
  createdAt: time('When it was created'),
  updatedAt: time('When it last changed'),
  startedAt: nullable(time('When it was first started')),
  endedAt: nullable(time('When it ended')),
}

export const ExperimentSchema = named('Experiment', closed(fields))

const PlanFile = named(
  'PlanFile',
  closed({
    path: Type.String(),
    action: oneOf(['create', 'modify', 'delete']),
    summary: Type.String(),
    diff: nullable(Type.String(), {
      description: 'Unified diff; null if the repository does not answer, or the changes no longer apply',
    }),
    state: nullable(oneOf(['current', 'changed', 'moved', 'gone']), {
      description: 'The file in the repository now; null if the repository does not answer',
    }),
    movedTo: nullable(Type.String()),
  }),
)

export const ExperimentDetailSchema = named(
  'ExperimentDetail',
  closed({
    ...fields,
    sizing: nullable(
      named(
        'SizingState',
        closed({
          ...sizing,
          personsNeeded: nullable(Type.Integer(), {
            description: 'In all variants; null if it is not known',
          }),
          personsSoFar: Type.Integer({ description: 'Persons counted so far' }),
          daysLeft: nullable(Type.Integer(), {
            description: 'At the pace so far; null if it is not known or measuring has ended',
          }),
        }),
      ),
      { description: 'Null if it was not planned' },
    ),
    results: nullable(ResultsSchema, {
      description: 'Null if they cannot be measured now and never were',
    }),
    readiness: named(
      'ExperimentReadiness',
      closed({
        canStart: Type.Boolean(),
        checks: Type.Array(
          closed({
            code: oneOf(['status', 'event_history', 'code_in_base']),
            ok: Type.Boolean(),
            message: Type.String(),
          }),
        ),
      }),
    ),
    serving: named(
      'ExperimentServing',
      closed(
        {
          state: Type.Union([Type.Boolean(), Type.String()], {
            description:
              '`true`: each visitor sees their own variant; a variant key: everybody sees that one; `false`: everybody sees the control',
          }),
          lastAskedAt: nullable(time('When relays last asked'), {
            description:
              'The oldest time at which a relay seen in the last hour asked; null if there are none',
          }),
        },
        { description: 'What sites show of the experiment now' },
      ),
    ),
    plan: Type.Optional(
      named(
        'Plan',
        closed(
          {
            commit: nullable(Type.String(), {
              description: 'The commit it was written against; null without a repository',
            }),
            files: Type.Array(PlanFile),
          },
          { description: 'What its pull request changes; omitted if it changes nothing' },
        ),
      ),
    ),
  }),
)

export const ExperimentStatusSchema = named(
  'ExperimentStatus',
  closed({
    id: fields.id,
    key: fields.key,
    status: fields.status,
    settled: Type.Boolean({ description: 'The status is final' }),
    rejectedStage: fields.rejectedStage,
    pullRequest: fields.pullRequest,
    updatedAt: fields.updatedAt,
  }),
)

export const ExperimentCountsSchema = named(
  'ExperimentCounts',
  closed({
    total: Type.Integer(),
    byStatus: closed(Object.fromEntries(STATUSES.map((status) => [status, Type.Integer()]))),
  }),
)

/** `{id}` of every route below `/experiments`. */
export const experimentParams = closed({
  id: Type.String({
    minLength: 1,
    description: 'The id or the key of the experiment',
    examples: ['shorter-checkout', '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e'],
  }),
})
