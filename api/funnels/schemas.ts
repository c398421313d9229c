import { type Static, type TProperties, Type } from '@sinclair/typebox'
import { EVENT_LIMITS } from '../../domain/event.js'
import { MAX_COMPARISONS } from '../../domain/filter-cost.js'
import {
  FUNNEL_LIMITS,
  type JsonValue,
  type PropertyFilter,
  SAVED_RANGES,
  type SavedRange,
  TREND_INTERVALS,
} from '../../domain/funnel.js'
import {
  closed,
  list,
  named,
  nameText,
  nullable,
  oneOf,
  textUpTo,
  time,
  unionBy,
  uuid,
} from '../http/schemas.js'

const MAX_FILTERS = 50
const MAX_EXCLUSIONS = 20
const PROPERTY_LENGTH = 500
const DESCRIPTION_LENGTH = 500
const STEP_NAME_LENGTH = EVENT_LIMITS.eventNameLength

export const EventNameSchema = Type.String({
  minLength: 1,
  maxLength: EVENT_LIMITS.eventNameLength,
  pattern: '^[A-Za-z0-9_.$-]*$',
  description: 'As in events: `A-Z a-z 0-9 _ . - $`',
  examples: ['checkout_started'],
})

export const property = Type.String({
  minLength: 1,
  maxLength: PROPERTY_LENGTH,
  description:
    'A path into `properties`: looked up as a whole key first, then split at its dots. A property exists if it is present and not null',
  examples: ['plan.name'],
})

const anyValue = Type.Unsafe<JsonValue>({ description: 'Any JSON value' })

function filterOf(name: string, description: string, operators: readonly string[], fields: TProperties) {
  return named(
    name,
    closed({ property, operator: Type.String({ enum: [...operators] }), ...fields }, { description }),
  )
}

/** A condition on an event's properties; the operator decides what `value` may be. */
export const FilterSchema = named(
  'PropertyFilter',
  unionBy<PropertyFilter>('operator', [
    filterOf(
      'EqualityFilter',
      'Compares JSON values; a missing property is `neq` everything',
      ['eq', 'neq'],
      {
        value: anyValue,
      },
    ),
    filterOf(
      'OrderFilter',
      'Compares numbers with numbers and strings with strings',
      ['gt', 'gte', 'lt', 'lte'],
      { value: Type.Unsafe<string | number>({ type: ['string', 'number'] }) },
    ),
    filterOf('ContainsFilter', 'A string that contains another, letter case included', ['contains'], {
      value: Type.String(),
    }),
    filterOf('InFilter', 'Equals one of some JSON values', ['in'], {
      value: Type.Array(anyValue, { maxItems: 1_000 }),
    }),
    filterOf('ExistenceFilter', 'Is present and not null, or is not', ['exists', 'not_exists'], {}),
  ]),
)

export const filters = (description: string) =>
  Type.Array(FilterSchema, {
    maxItems: MAX_FILTERS,
    description: `${description}. One query may have at most ${MAX_COMPARISONS} comparisons in all its filters: a path with dots counts twice, a list or object with each of its parts`,
  })

export const breakdownOf = (description: string) =>
  closed(
    {
      property,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 50,
          description: 'Most groups to return, largest first; 10 if left out',
        }),
      ),
    },
    { description },
  )

const stepName = nameText(STEP_NAME_LENGTH, {
  description: 'Defaults to the event name',
  examples: ['Checkout'],
})

const StepInput = named(
  'FunnelStepInput',
  closed({
    name: Type.Optional(stepName),
    eventName: EventNameSchema,
    filters: Type.Optional(filters('All must hold')),
  }),
)

const name = nameText(FUNNEL_LIMITS.nameLength, {
  description: 'Unique in the workspace, without regard to case',
  examples: ['Checkout'],
})
const description = Type.String({ maxLength: FUNNEL_LIMITS.descriptionLength })
export const windowSeconds = Type.Integer({
  minimum: 1,
  maximum: FUNNEL_LIMITS.windowSeconds,
  description: 'Conversion window: how long after the first step the others count, inclusive',
  examples: [FUNNEL_LIMITS.defaultWindowSeconds],
})
export const steps = Type.Array(StepInput, { minItems: 1, maxItems: FUNNEL_LIMITS.steps })

const order = oneOf(['ordered', 'strict', 'any'], {
  description:
    '`ordered`, if left out: the steps one after the other. `strict`: also without an event of another step in between. `any`: in any order; step k counts persons who did at least k steps',
})
const interval = oneOf(TREND_INTERVALS, {
  description:
    'Adds a trend over buckets of this length in UTC, weeks from Monday, also to each group of a breakdown',
})
const exclusions = Type.Array(
  closed({
    eventName: EventNameSchema,
    fromStep: Type.Integer({ minimum: 0, maximum: FUNNEL_LIMITS.steps - 1, description: '0-based' }),
    toStep: Type.Integer({
      minimum: 0,
      maximum: FUNNEL_LIMITS.steps - 1,
      description: '0-based, after `fromStep`',
    }),
  }),
  {
    maxItems: MAX_EXCLUSIONS,
    description:
      'Events that end an attempt if they come between two of its steps; it keeps the steps it reached. In `any` order the steps count as they are done',
  },
)

export const last = oneOf(Object.keys(SAVED_RANGES) as SavedRange[], {
  description: 'The range, which ends now; 30d if left out',
})

export const savedQueryFields = {
  order,
  filters: filters('Every event must satisfy them, those of exclusions too'),
  exclusions,
  breakdown: nullable(breakdownOf('A breakdown as in a query')),
  interval: nullable(interval),
  last,
}
const SAVED_QUERY = 'How the funnel is queried unless the body of a query says otherwise'
const savedQueryInput = nullable(named('SavedFunnelQueryInput', Type.Partial(closed(savedQueryFields))), {
  description: SAVED_QUERY,
})

export const CreateFunnelSchema = named(
  'CreateFunnel',
  closed({
    name,
    description: Type.Optional(Type.String({ ...description, default: '' })),
    windowSeconds: Type.Optional(
      Type.Integer({ ...windowSeconds, default: FUNNEL_LIMITS.defaultWindowSeconds }),
    ),
    steps,
    query: Type.Optional(savedQueryInput),
  }),
)

export const UpdateFunnelSchema = named(
  'UpdateFunnel',
  closed(
    {
      name: Type.Optional(name),
      description: Type.Optional(description),
      windowSeconds: Type.Optional(windowSeconds),
      steps: Type.Optional(steps),
      query: Type.Optional(savedQueryInput),
    },
    { description: 'Only the fields sent change; `steps` and `query` are replaced as a whole' },
  ),
)

export const FunnelSchema = named(
  'Funnel',
  closed({
    id: uuid('The funnel'),
    name,
    description,
    windowSeconds,
    steps: Type.Array(
      named(
        'FunnelStep',
        closed({ name: stepName, eventName: EventNameSchema, filters: Type.Array(FilterSchema) }),
      ),
    ),
    query: nullable(named('SavedFunnelQuery', closed(savedQueryFields)), { description: SAVED_QUERY }),
    createdAt: time('When it was created'),
    updatedAt: time('When it last changed'),
  }),
)

export const FunnelList = list('FunnelList', FunnelSchema)

export const FunnelQuerySchema = named(
  'FunnelQuery',
  closed({
    from: Type.Optional(
      time(
        "Step 1 happens then or later; if left out, 30 days before `to`, or the `last` of the funnel's query",
      ),
    ),
    to: Type.Optional(time('Step 1 happens before; now where left out')),
    windowSeconds: Type.Optional(Type.Integer({ ...windowSeconds, description: "Defaults to the funnel's" })),
    order: Type.Optional(order),
    breakdown: Type.Optional(
      nullable(
        breakdownOf(
          "One funnel for each value of this property at a person's first event, largest first; ties in the order of their values",
        ),
      ),
    ),
    interval: Type.Optional(nullable(interval)),
    filters: Type.Optional(filters('Every event must satisfy them, those of exclusions too')),
    exclusions: Type.Optional(exclusions),
    experiment: Type.Optional(
      textUpTo(
        64,
        'Key of an experiment: one funnel per variant, of the exposure and the events received after it while the experiment was measured',
      ),
    ),
  }),
)
export type FunnelQueryInput = Static<typeof FunnelQuerySchema>

export const FunnelDraftQuerySchema = named(
  'FunnelDraftQuery',
  closed({
    steps,
    ...FunnelQuerySchema.properties,
    windowSeconds: Type.Optional(
      Type.Integer({ ...windowSeconds, default: FUNNEL_LIMITS.defaultWindowSeconds }),
    ),
  }),
)

const rate = (text: string) => nullable(Type.Number({ minimum: 0, maximum: 1 }), { description: text })
const count = (text: string) => Type.Integer({ minimum: 0, description: text })

const StepResult = named(
  'FunnelStepResult',
  closed({
    index: Type.Integer({ minimum: 0, description: '0-based' }),
    name: Type.String(),
    eventName: Type.String(),
    count: count('Persons who reached the step'),
    conversionFromPrevious: rate('Null for the first step, and if no one reached the previous one'),
    conversionFromStart: rate('Null if no one entered'),
    dropOff: count('Persons lost since the previous step'),
    medianSecondsFromPrevious: nullable(Type.Number({ minimum: 0 })),
    p90SecondsFromPrevious: nullable(Type.Number({ minimum: 0 })),
  }),
)

export const queryCost = closed({
  elapsedMs: Type.Number({
    minimum: 0,
    description: 'Milliseconds to compute the results, or to find that those of an earlier query still hold',
  }),
  rowsRead: count(
    'Rows read; 0 if `from` and `to` were given and the same query was answered before without new events or links since',
  ),
})

const totals = {
  entered: count('Persons who did the first step'),
  completed: count('Persons who did all steps'),
  conversionRate: rate('Null if no one entered'),
}

const trend = nullable(
  Type.Array(
    named(
      'FunnelTrendPoint',
      closed({
        at: time('Start of the bucket'),
        ...totals,
        complete: Type.Boolean({
          description: 'The range covers it, and its end and the conversion window after it have passed',
        }),
      }),
    ),
  ),
  { description: 'Empty buckets included; null without `interval`' },
)

const figures = {
  from: time('As asked, or the default'),
  to: time('As asked, or the default'),
  windowSeconds,
  order: oneOf(['ordered', 'strict', 'any']),
  ...totals,
  steps: Type.Array(StepResult),
  breakdown: nullable(
    Type.Array(
      named(
        'FunnelBreakdownGroup',
        closed({
          value: Type.Unsafe<JsonValue>({ description: 'Null also if the property is missing' }),
          ...totals,
          steps: Type.Array(StepResult),
          trend,
        }),
      ),
    ),
    { description: 'Largest groups first; null without `breakdown`' },
  ),
  trend,
  query: queryCost,
}

export const FunnelQueryResultSchema = named(
  'FunnelQueryResult',
  closed({ funnelId: uuid('The funnel'), ...figures }),
)

export const FunnelDraftResultSchema = named('FunnelDraftResult', closed(figures))

const shownDescription = nullable(Type.String(), {
  description: 'Written by people; null without one',
  examples: ['A visitor began the checkout'],
})

const hiddenBy = nullable(Type.String(), {
  description: 'The name or `beginning*` that hides it; null if nothing does',
  examples: [null],
})

export const EventNameSummarySchema = named(
  'EventName',
  closed({
    eventName: Type.String({ examples: ['checkout_started'] }),
    count: count('Events received'),
    firstSeenAt: time('Earliest `timestamp` of such an event'),
    lastSeenAt: time('Latest `timestamp` of such an event'),
    description: shownDescription,
    hiddenBy,
  }),
)

export const EventNamePatternSchema = Type.String({
  minLength: 1,
  maxLength: EVENT_LIMITS.eventNameLength + 1,
  pattern: '^[A-Za-z0-9_.$-]+\\*?$',
  description: 'An event name, or the beginning of event names and `*`',
  examples: ['order_*'],
})

const changes = {
  hidden: Type.Optional(Type.Boolean()),
  description: Type.Optional(
    nullable(nameText(DESCRIPTION_LENGTH), { description: 'Text without line breaks; null removes it' }),
  ),
}

export const UpdateEventNameSchema = named('UpdateEventName', closed(changes))

/** Fields of a property beside its figures. */
export const propertyEntry = {
  description: shownDescription,
  hidden: Type.Boolean({ description: 'Lists and suggestions leave it out' }),
}

export const UpdateEventPropertySchema = named('UpdateEventProperty', closed({ property, ...changes }))

export const EventPropertyEntrySchema = named('EventPropertyEntry', closed({ property, ...propertyEntry }))

export const EventNameVisibilitySchema = named(
  'EventNameVisibility',
  closed({ eventName: EventNamePatternSchema, description: shownDescription, hiddenBy }),
)
