import { Type } from '@sinclair/typebox'
import type { Metric as MetricInput } from '../../domain/statistics/index.js'
import { property } from '../funnels/schemas.js'
import { closed, named, nullable, oneOf, time } from '../http/schemas.js'

export const Metric = named(
  'Metric',
  Type.Unsafe<MetricInput>({
    type: 'object',
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf: [
      named(
        'ProportionMetric',
        closed(
          { type: Type.String({ enum: ['proportion'] }) },
          { description: 'The share of persons who convert; so where `metric` is left out' },
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
                description: 'Caps what a person adds up to at this percentile of those that are not 0',
              }),
            ),
            cuped: Type.Optional(
              Type.Boolean({
                description: 'Adjusts by what each person added up to in the 30 days before exposure',
              }),
            ),
          },
          { description: 'What a numeric property adds up to, a person' },
        ),
      ),
    ],
  }),
)

const figure = (description: string) => nullable(Type.Number(), { description })
const interval = (description: string) =>
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
      risk: figure('What is lost on average where the variant is chosen and is worse, relative'),
      sequentialCi: interval('95 % interval of the lift that holds however often one looks'),
      sequentialPValue: figure('The same as a p-value'),
    },
    { description: 'Against the control; what cannot be told is null' },
  ),
)

const VariantResults = named(
  'VariantResults',
  closed({
    key: Type.String(),
    exposed: Type.Integer({ description: 'Persons who count' }),
    converted: Type.Integer({ description: 'Persons with at least one event that counts' }),
    rate: figure('Null for a mean, and where nobody was exposed'),
    mean: Type.Optional(figure('Of a mean: capped, not adjusted')),
    standardDeviation: Type.Optional(figure('Of a mean: of the sample')),
    adjustedMean: Type.Optional(figure('Of a mean with `cuped`')),
    vsControl: nullable(Evidence, { description: 'Null for the control only' }),
  }),
)

export const Results = named(
  'Results',
  closed({
    asOf: time('When they were measured'),
    state: oneOf(['no_data', 'collecting', 'ready']),
    reason: nullable(Type.String(), { description: 'Why they are not ready' }),
    exposed: Type.Integer({ description: 'Persons who count, in all variants' }),
    multipleVariants: Type.Integer({ description: 'Persons who saw several variants, and are left out' }),
    srm: closed(
      { pValue: Type.Number(), ok: Type.Boolean({ description: 'False below 0.001: the split is broken' }) },
      { description: 'Whether persons are split as they should be (chi-square)' },
    ),
    dataQuality: closed({
      multipleVariants: Type.Integer({ description: 'Persons' }),
      unknownVariants: Type.Integer({ description: 'Exposures to variants that there are not' }),
      beforeStart: Type.Integer({ description: 'Exposures before the experiment started' }),
      clampedShare: Type.Number({ description: 'Of the exposures that count, those whose time was moved' }),
      lagSeconds: Type.Number({ description: 'Age of the oldest accepted event that is not counted yet' }),
    }),
    targets: Type.Array(
      named(
        'TargetResults',
        closed({
          eventName: Type.String(),
          direction: oneOf(['increase', 'decrease']),
          primary: Type.Boolean(),
          variants: Type.Array(VariantResults, { description: "In the experiment's order" }),
        }),
      ),
    ),
  }),
)

export const Segments = named(
  'ResultsBySegment',
  closed({
    data: Type.Array(
      closed({
        value: Type.Unsafe<unknown>({
          description: "The property's value at a person's first exposure; null where it is missing",
        }),
        exploratory: Type.Boolean({
          description: 'Always true: of many segments some differ by chance alone',
        }),
        results: Results,
      }),
      { description: 'The largest first' },
    ),
  }),
)
