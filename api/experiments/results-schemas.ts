import { Type } from '@sinclair/typebox'
import type { Metric as MetricInput } from '../../domain/statistics/index.js'
import type { VerdictCode } from '../../domain/statistics/results-types.js'
import { property } from '../funnels/schemas.js'
import { closed, named, nullable, oneOf, time, unionBy } from '../http/schemas.js'

export const MetricSchema = named(
  'Metric',
  unionBy<MetricInput>('type', [
    named(
      'ProportionMetric',
      closed(
        { type: Type.String({ enum: ['proportion'] }) },
        { description: 'The share of persons who convert (the default)' },
      ),
    ),
    named(
      'MeanMetric',
      closed(
        {
          type: Type.String({ enum: ['mean'] }),
          property,
          percentile: Type.Optional(
            Type.Number({
              minimum: 0.5,
              maximum: 1,
              description: "Caps a person's total at this percentile of the totals that are not 0",
            }),
          ),
          cuped: Type.Optional(
            Type.Boolean({
              description: "Adjusts by each person's total in the 30 days before exposure",
            }),
          ),
        },
        { description: 'The mean over persons of the total of a numeric property' },
      ),
    ),
  ]),
)

export const figure = (description: string) => nullable(Type.Number(), { description })
export const interval = (description: string) =>
  nullable(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), { description })

const Evidence = named(
  'VsControl',
  closed(
    {
      lift: figure('Relative: 0.1 is a tenth more than the control'),
      liftCi: interval('95 % interval of the lift'),
      pValue: figure('Two-sided'),
      adjustedPValue: figure('By Holm, across the variants of the target'),
      chanceToWin: figure('The chance that the variant is better than the control'),
      risk: figure('Expected relative loss if the variant is chosen and is worse'),
      sequentialCi: interval('95 % interval of the lift, valid however often it is looked at'),
      sequentialPValue: figure('The same as a p-value'),
    },
    { description: 'Compared with the control; null for what cannot be computed' },
  ),
)

const VariantResults = named(
  'VariantResults',
  closed({
    key: Type.String(),
    exposed: Type.Integer({ description: 'Persons counted' }),
    converted: Type.Integer({ description: 'Persons with at least one counted event' }),
    rate: figure('Null for a mean, and if no one was exposed'),
    mean: Type.Optional(figure('Of a mean metric: capped, not adjusted')),
    standardDeviation: Type.Optional(figure('Of a mean metric: of the sample')),
    adjustedMean: Type.Optional(figure('Of a mean metric with `cuped`')),
    vsControl: nullable(Evidence, { description: 'Null for the control only' }),
    guardrail: Type.Optional(
      oneOf(['ok', 'harmed', 'unclear'], {
        description:
          'Of a guardrail: by the interval of the lift that holds for all variants at once (95 %), and the margin',
      }),
    ),
  }),
)

const VERDICTS = [
  'not_started',
  'no_data',
  'broken_split',
  'collecting',
  'harmed',
  'winner',
  'loser',
  'no_difference',
  'undecided',
] as const satisfies readonly VerdictCode[]

export const ResultsSchema = named(
  'Results',
  closed({
    asOf: time('When they were measured'),
    state: oneOf(['no_data', 'collecting', 'ready']),
    reason: nullable(Type.String(), { description: 'Why they are not ready' }),
    verdict: closed(
      {
        code: oneOf(VERDICTS, {
          description:
            '`harmed`: a guardrail is; `winner`: clearly better on the primary target; `loser`: all variants are clearly worse; `no_difference`: planned, and within the smallest effect. Clear is an adjusted p below 0.05, or a sequential interval without 0',
        }),
        variant: nullable(Type.String(), { description: 'The variant that wins, or harms' }),
        text: Type.String({ description: 'The same in one sentence' }),
      },
      { description: 'What the results come to: the first code that fits' },
    ),
    exposed: Type.Integer({ description: 'Persons counted in all variants' }),
    multipleVariants: Type.Integer({ description: 'Persons who saw several variants; they are not counted' }),
    srm: closed(
      {
        pValue: Type.Number(),
        ok: Type.Boolean({
          description:
            'False below 0.001, and if a person is in a variant with weight 0: the split is broken',
        }),
      },
      { description: 'Whether persons are split as configured (chi-square)' },
    ),
    dataQuality: closed({
      multipleVariants: Type.Integer({ description: 'Persons' }),
      unknownVariants: Type.Integer({ description: 'Exposures to variants that do not exist' }),
      beforeStart: Type.Integer({ description: 'Exposures before the experiment started' }),
      zeroWeight: Type.Integer({ description: 'Persons counted in variants with weight 0' }),
      clampedShare: Type.Number({
        description: 'Share of the exposures of counted persons whose time was clamped',
      }),
      lagSeconds: Type.Number({ description: 'Age of the oldest accepted event that is not counted yet' }),
    }),
    targets: Type.Array(
      named(
        'TargetResults',
        closed({
          eventName: Type.String(),
          direction: oneOf(['increase', 'decrease']),
          primary: Type.Boolean(),
          role: Type.Optional(oneOf(['guardrail'])),
          margin: Type.Optional(Type.Number({ description: 'Of a guardrail' })),
          variants: Type.Array(VariantResults, { description: "In the experiment's order" }),
        }),
      ),
    ),
  }),
)

export const SegmentsSchema = named(
  'ResultsBySegment',
  closed({
    data: Type.Array(
      closed({
        value: Type.Unsafe<unknown>({
          description: "The property's value at a person's first exposure; null if it is missing",
        }),
        exploratory: Type.Boolean({
          description: 'Always true: of many segments some differ by chance alone',
        }),
        results: ResultsSchema,
      }),
      { description: 'Largest first' },
    ),
  }),
)
