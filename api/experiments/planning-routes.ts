import { type Static, Type } from '@sinclair/typebox'
import {
  DEFAULT_ALPHA,
  DEFAULT_POWER,
  EXPERIMENT_LIMITS,
  findExperiment,
} from '../../management/experiments/index.js'
import {
  answerPower,
  type PowerAnswer,
  type PowerQuestion,
  resultsHistory,
} from '../../management/results/index.js'
import { comparisonProblems } from '../funnels/funnel-query.js'
import { EventNameSchema, filters } from '../funnels/schemas.js'
import { refuseExceeded } from '../http/error-mapping.js'
import { assertValid, defineRoute, json, type Rule } from '../http/route.js'
import { closed, named, nullable, time } from '../http/schemas.js'
import { exampleResults } from './examples.js'
import { RESULTS_DEADLINE_MS, RESULTS_LIMITS } from './results-limits.js'
import { figure, interval, MetricSchema } from './results-schemas.js'
import { alpha, experimentParams, minimumEffect, power, windowHours } from './schemas.js'

const rate = Type.Number({
  exclusiveMinimum: 0,
  exclusiveMaximum: 1,
  description: 'Share of persons who convert',
})
const above0 = (description: string) => Type.Number({ exclusiveMinimum: 0, description })
const mean = above0("Of the persons' totals of the property")
const standardDeviation = above0('Of the same totals')

const PowerSchema = named(
  'PowerQuestion',
  closed({
    target: closed({
      eventName: EventNameSchema,
      filters: Type.Optional(filters('All must hold')),
      windowHours: Type.Optional(Type.Unsafe<number | null>({ ...windowHours, type: ['number', 'null'] })),
      metric: Type.Optional(MetricSchema),
    }),
    splits: Type.Array(Type.Integer({ minimum: 0, maximum: 100, description: 'Percent' }), {
      minItems: 2,
      maxItems: EXPERIMENT_LIMITS.variants,
      description: 'Of each variant, the control first; they add up to 100',
    }),
    minimumEffect,
    power: Type.Optional({ ...power, default: DEFAULT_POWER }),
    alpha: Type.Optional({ ...alpha, default: DEFAULT_ALPHA }),
    exposureEvent: Type.Optional({
      ...EventNameSchema,
      description: 'Measures the baseline: persons by their first such event in the last 28 days',
    }),
    exposureFilters: Type.Optional(filters('Of the exposure event; all must hold')),
    baseline: Type.Optional(
      Type.Unsafe<{ rate: number } | { mean: number; standardDeviation: number }>({
        anyOf: [closed({ rate }), closed({ mean, standardDeviation })],
        description: 'In place of `exposureEvent`: a rate, or mean and deviation of a mean metric',
      }),
    ),
    personsPerDay: Type.Optional(above0('In all variants. Defaults to those of the exposure event')),
  }),
)

type PowerBody = Static<typeof PowerSchema>

const powerRules: readonly Rule<PowerBody>[] = [
  {
    of: ['target', 'exposureFilters'],
    problems: ({ target, exposureFilters = [] }) =>
      comparisonProblems({ '/target/filters': target.filters ?? [], '/exposureFilters': exposureFilters }),
  },
  {
    of: ['splits'],
    problems({ splits }) {
      const sum = splits.reduce((total, split) => total + split, 0)
      return [
        ...(sum === 100 ? [] : [{ path: '/splits', message: `must add up to 100, not to ${sum}` }]),
        ...(splits[0] === 0 ? [{ path: '/splits/0', message: 'must be above 0: this is the control' }] : []),
        ...(sum === 100 && splits[0] === 100
          ? [{ path: '/splits', message: 'must leave persons for another variant than the control' }]
          : []),
      ]
    },
  },
  {
    of: ['minimumEffect'],
    problems: ({ minimumEffect: effect }) =>
      effect === 0 ? [{ path: '/minimumEffect', message: 'must not be 0' }] : [],
  },
  {
    of: ['exposureEvent', 'baseline', 'exposureFilters', 'target'],
    problems({ exposureEvent, baseline, exposureFilters, target }) {
      if ((exposureEvent === undefined) === (baseline === undefined))
        return [{ path: '/baseline', message: 'or exposureEvent must be given, but not both' }]
      if (baseline === undefined) return []
      return [
        ...(exposureFilters === undefined
          ? []
          : [{ path: '/exposureFilters', message: 'must be left out if baseline is given' }]),
        ...('rate' in baseline === (target.metric?.type !== 'mean')
          ? []
          : [
              {
                path: '/baseline',
                message: 'must be a rate for a proportion, mean and standardDeviation for a mean',
              },
            ]),
      ]
    },
  },
]

const PowerAnswerSchema = named(
  'PowerAnswer',
  closed({
    baseline: closed(
      {
        from: nullable(time('Start of the 28 days')),
        to: nullable(time('Their end')),
        persons: nullable(Type.Integer()),
        personsPerDay: figure('Null if the baseline was given without'),
        rate: Type.Optional(rate),
        mean: Type.Optional(mean),
        standardDeviation: Type.Optional(standardDeviation),
      },
      { description: 'What it was computed from; `from`, `to` and `persons` are null if it was given' },
    ),
    personsPerVariant: Type.Array(Type.Integer(), { description: 'In the order of the splits' }),
    personsTotal: Type.Integer(),
    days: nullable(Type.Integer(), { description: 'Null if the persons per day are not known' }),
    detectable: Type.Array(
      closed({
        days: Type.Integer(),
        minimumEffect: figure('Null if no effect can be found in that time'),
      }),
      { description: 'The smallest effect that this many days show; empty without persons per day' },
    ),
  }),
)

export const powerRoute = defineRoute('POST /experiments/power', 'planExperiment', {
  heavy: true,
  tag: 'Experiments',
  summary: 'Compute how many persons and days an experiment needs',
  description:
    'A two-sided test of the relative lift at `alpha` divided by the number of variants beside the control, with the variance of the lift by the delta method under the alternative. Writes nothing.',
  body: PowerSchema,
  bodyRules: powerRules,
  bodyExample: {
    target: { eventName: 'order_paid' },
    splits: [50, 50],
    minimumEffect: 0.1,
    baseline: { rate: 0.1 },
    personsPerDay: 2_000,
  },
  deadlineMs: RESULTS_DEADLINE_MS,
  responses: {
    200: json('Persons and days', PowerAnswerSchema, {
      baseline: { from: null, to: null, persons: null, personsPerDay: 2_000, rate: 0.1 },
      personsPerVariant: [16_232, 16_232],
      personsTotal: 32_464,
      days: 17,
      detectable: [
        { days: 7, minimumEffect: 0.1582 },
        { days: 14, minimumEffect: 0.1083 },
        { days: 28, minimumEffect: 0.0749 },
      ],
    }),
  },
  async handler({ body, services, workspaceId, signal }) {
    assertValid(powerRules, body, services.now())
    const answer = await answerPower(services, workspaceId, toQuestion(body), {
      limits: RESULTS_LIMITS,
      signal,
    }).catch(refuseExceeded('/exposureEvent'))
    return { status: 200, body: toShownPower(answer) }
  },
})

function toQuestion({
  target,
  exposureEvent,
  exposureFilters = [],
  baseline,
  ...rest
}: PowerBody): PowerQuestion {
  const { splits, minimumEffect: effect, power: chance, alpha: level, personsPerDay } = rest
  return {
    target: {
      eventName: target.eventName,
      filters: target.filters ?? [],
      windowHours: target.windowHours ?? null,
      metric: target.metric,
    },
    from: baseline ?? { eventName: exposureEvent ?? '', filters: exposureFilters },
    splits,
    minimumEffect: effect,
    power: chance ?? DEFAULT_POWER,
    alpha: level ?? DEFAULT_ALPHA,
    personsPerDay,
  }
}

function toShownPower({ measured, baseline, personsPerDay, ...answer }: PowerAnswer) {
  const isoOf = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
  const { personsPerVariant, personsTotal, days, detectable } = answer
  return {
    baseline: {
      from: isoOf(measured?.from),
      to: isoOf(measured?.to),
      persons: measured?.persons ?? null,
      personsPerDay,
      ...baseline,
    },
    personsPerVariant,
    personsTotal,
    days,
    detectable,
  }
}

const HistorySchema = named(
  'ResultsHistory',
  closed({
    data: Type.Array(
      closed({
        at: time('The end of a day in UTC; the last one is now, or when measuring ended'),
        variants: Type.Array(
          closed({
            key: Type.String(),
            exposed: Type.Integer(),
            converted: Type.Integer(),
            rate: figure('Null for a mean, and without persons'),
            mean: figure('Of a mean metric, else null'),
            lift: figure('Null for the control'),
            liftCi: interval('95 % interval of the lift'),
            sequentialCi: interval('The same, valid however often it is looked at'),
          }),
        ),
      }),
      { description: 'At most 90 points, evenly thinned; empty before the start' },
    ),
  }),
)

export const historyRoute = defineRoute('GET /experiments/{id}/results/history', 'listResultsHistory', {
  heavy: true,
  tag: 'Experiments',
  summary: 'Get the results on the primary target at the end of each day',
  params: experimentParams,
  deadlineMs: RESULTS_DEADLINE_MS,
  responses: {
    200: json('The results over time', HistorySchema, {
      data: [
        {
          at: '2026-11-28T09:30:00.000Z',
          variants: (exampleResults.targets[0]?.variants ?? []).map(toHistoryVariant),
        },
      ],
    }),
  },
  async handler({ params, services, workspaceId, signal }) {
    const row = await findExperiment(services.sql, workspaceId, params.id)
    const points = await resultsHistory(services, workspaceId, row, { limits: RESULTS_LIMITS, signal }).catch(
      refuseExceeded('/id'),
    )
    return {
      status: 200,
      body: {
        data: points.map(({ at, variants }) => ({
          at: new Date(at).toISOString(),
          variants: variants.map(toHistoryVariant),
        })),
      },
    }
  },
})

interface HistoryVariant {
  readonly key: string
  readonly exposed: number
  readonly converted: number
  readonly rate: number | null
  readonly mean?: number | null
  readonly vsControl: {
    readonly lift: number | null
    readonly liftCi: readonly number[] | null
    readonly sequentialCi: readonly number[] | null
  } | null
}

function toHistoryVariant({
  key,
  exposed,
  converted,
  rate: share,
  mean: average,
  vsControl,
}: HistoryVariant) {
  return {
    key,
    exposed,
    converted,
    rate: share,
    mean: average ?? null,
    lift: vsControl?.lift ?? null,
    liftCi: vsControl?.liftCi ?? null,
    sequentialCi: vsControl?.sequentialCi ?? null,
  }
}
