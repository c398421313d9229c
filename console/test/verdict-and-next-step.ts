import t from 'tap'
import { STATUSES } from '../../domain/lifecycle.js'
import { nextStep, type Upcoming } from '../pages/experiments/actions/next-step.js'
import { powerQuestion } from '../pages/experiments/power-question.js'
import { isComparable } from '../pages/experiments/results/comparable.js'
import {
  historyLines,
  historyRange,
  type VariantHistory,
} from '../pages/experiments/results/history-lines.js'

type Results = NonNullable<Upcoming['results']>

const variants = ['control', 'treatment'].map((key) => ({
  key,
  displayName: key === 'control' ? 'Old' : 'New',
  trafficSplit: 50,
  isControl: key === 'control',
}))

function experiment(changes: Partial<Upcoming>, code: Results['verdict']['code'] = 'undecided'): Upcoming {
  return {
    status: 'running',
    variants,
    sizing: null,
    cleanupPullRequest: null,
    rejectedStage: null,
    readiness: { canStart: false, checks: [] },
    results: { verdict: { code, variant: 'treatment', text: '' } } as unknown as Results,
    ...changes,
  }
}

t.test('every status has one sentence without an internal name', async (t) => {
  for (const status of STATUSES) {
    const sentence = nextStep(experiment({ status, results: null }))
    t.match(sentence, /^[A-Z].*\.$/, status)
    t.notMatch(sentence, /_|\bpr\b/i, status)
  }
})

t.test('the next step of a running experiment follows from the verdict and the days left', async (t) => {
  t.match(nextStep(experiment({}, 'winner')), 'ship New at once')
  t.match(nextStep(experiment({}, 'harmed')), 'a guardrail is harmed')
  t.match(nextStep(experiment({}, 'broken_split')), 'split is broken')
  t.equal(nextStep(experiment({}, 'collecting')), 'Let it run until there is enough data.')
  const sizing = {
    minimumEffect: 0.1,
    power: 0.8,
    alpha: 0.05,
    exposureEvent: null,
    personsNeeded: 900,
    personsSoFar: 100,
    daysLeft: 9,
  }
  t.equal(nextStep(experiment({ sizing }, 'collecting')), 'Let it run: about 9 days are left.')
  t.match(nextStep(experiment({ status: 'ended' }, 'winner')), 'New is better than the control')
})

t.test('few persons or conversions are not compared', async (t) => {
  const target = (...arms: [number, number][]) =>
    ({
      variants: arms.map(([exposed, converted], at) => ({ key: `${at}`, exposed, converted })),
    }) as unknown as Parameters<typeof isComparable>[0]
  t.ok(isComparable(target([100, 5], [100, 5])))
  t.ok(isComparable(target([100, 5], [10, 0], [100, 5])))
  t.notOk(isComparable(target([99, 50], [100, 5])))
  t.notOk(isComparable(target([100, 4], [100, 5])))
  t.notOk(isComparable(target([100, 5], [100, 4])))
  t.notOk(isComparable(target()))
})

t.test('the scale over time fits the latest interval, and cuts off the wide first ones', async (t) => {
  const day = (at: number, lift: number | null, half: number): VariantHistory => ({
    at,
    key: 'treatment',
    exposed: 1,
    converted: 1,
    rate: 0.1,
    mean: null,
    lift,
    liftCi: lift === null ? null : [lift - half, lift + half],
    sequentialCi: null,
  })
  const points = [day(1, null, 0), day(2, 0.5, 20), day(3, 0.1, 0.1)]
  const [low, high] = historyRange(points)
  t.ok(low >= -0.6 && high <= 0.6 && low < 0 && high > 0.2, `${low} to ${high}`)
  const lines = historyLines(points)
  t.same(
    lines.map(({ values }) => values[0]),
    [null, null, null, null, null, 0],
    'no figures, no line; the control is 0',
  )
  t.same(lines[1]?.values[2], 0.2)
})

t.test('a running experiment is planned from its own control, another one from an event', async (t) => {
  const target = {
    eventName: 'paid',
    name: 'Paid',
    direction: 'decrease' as const,
    windowHours: null,
    filters: [],
  }
  const planned = (results: object | null, startedAt: string | null, exposureEvent: string | null) =>
    powerQuestion(
      {
        status: 'running',
        conversionTargets: [target],
        variants,
        results: results as Results | null,
        sizing: { minimumEffect: 0.1, power: 0.9, alpha: 0.05, exposureEvent } as Upcoming['sizing'],
        startedAt,
      },
      0.2,
      Date.parse('2026-11-11T00:00:00Z'),
    )
  const measured = (control: object) => ({
    exposed: 2_000,
    targets: [{ variants: [{ exposed: 1_000, ...control }] }],
  })
  const start = '2026-11-01T00:00:00Z'
  t.match(planned(measured({ rate: 0.1 }), start, 'page_viewed'), {
    baseline: { rate: 0.1 },
    personsPerDay: 200,
    minimumEffect: -0.2,
    power: 0.9,
    exposureEvent: undefined,
  })
  t.match(planned(measured({ rate: null, mean: 4, standardDeviation: 9 }), start, null), {
    baseline: { mean: 4, standardDeviation: 9 },
  })
  t.equal(planned(measured({ rate: 0 }), start, 'page_viewed'), undefined)
  t.equal(planned(measured({ rate: 0.1, exposed: 99 }), start, null), undefined)
  t.match(planned(null, null, 'page_viewed'), { exposureEvent: 'page_viewed', baseline: undefined })
  t.equal(planned(null, null, null), undefined)
})
