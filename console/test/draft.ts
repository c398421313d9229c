import fc from 'fast-check'
import t from 'tap'
import { periodBefore } from '../../domain/period-before.js'
import { OPERATORS } from '../components/query/filter-draft.js'
import {
  emptyDraft,
  type FunnelDraft,
  fromFunnel,
  fromQueryParams,
  funnelOfSaved,
  isComplete,
  namedSteps,
  queryOf,
  savedFunnelQuery,
  savedOf,
  stepsOf,
  toQueryParams,
} from '../pages/insights/funnel-draft.js'
import { retentionFromParams, retentionOfSaved, savedRetention } from '../pages/insights/retention-draft.js'
import {
  savedTrends,
  trendsBody,
  trendsFromParams,
  trendsOfSaved,
  trendsToParams,
} from '../pages/insights/trends-draft.js'

const NOW = Date.UTC(2026, 10, 22)
const text = fc.string({ maxLength: 8, unit: 'grapheme' })
const eventName = fc.stringMatching(/^[A-Za-z0-9_.$-]{1,8}$/)
const filter = fc.record({
  property: text,
  operator: fc.constantFrom(...OPERATORS.map(([operator]) => operator)),
  value: text,
})
const step = fc.record({
  eventName,
  name: fc.oneof(fc.constant(''), text),
  filters: fc.array(filter, { maxLength: 2 }),
})
const draft: fc.Arbitrary<FunnelDraft> = fc
  .record({
    steps: fc.array(step, { minLength: 2, maxLength: 4 }),
    windowSeconds: fc.integer({ min: 1, max: 7_776_000 }),
    order: fc.constantFrom('ordered' as const, 'strict' as const, 'any' as const),
    days: fc.constantFrom(1, 7, 30, 90),
    from: fc.constantFrom('', '2026-11-01T00:00:00.000Z'),
    filters: fc.array(filter, { maxLength: 2 }),
    exclusions: fc.array(fc.record({ eventName, fromStep: fc.nat(3), toStep: fc.nat(3) }), { maxLength: 2 }),
    breakdown: fc.oneof(fc.constant(''), text),
    limit: fc.integer({ min: 1, max: 50 }),
    interval: fc.constantFrom(
      '' as const,
      'hour' as const,
      'day' as const,
      'week' as const,
      'month' as const,
    ),
    experiment: fc.constantFrom('', 'checkout-button'),
  })
  .map((fields) => ({
    ...fields,
    // `days` applies to a range without a beginning.
    days: fields.from === '' ? fields.days : emptyDraft.days,
    to: fields.from === '' ? '' : '2026-11-20T00:00:00.000Z',
  }))

/** The address that a draft has, as a browser gives it back. */
function addressOf(made: FunnelDraft, base?: FunnelDraft): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(toQueryParams(made, base)))
    for (const one of value === null ? [] : typeof value === 'string' ? [value] : value)
      params.append(name, one)
  return new URLSearchParams(params.toString())
}

t.test('an address contains the whole draft', async () => {
  fc.assert(
    fc.property(draft, (made) => {
      t.same(fromQueryParams(addressOf(made), undefined), made)
    }),
    { numRuns: 200 },
  )
})

t.test('the address of a saved funnel holds only what differs from it', async (t) => {
  const base = {
    ...emptyDraft,
    steps: [
      { eventName: 'a', name: '', filters: [] },
      { eventName: 'b', name: '', filters: [] },
    ],
    windowSeconds: 60,
  }
  const same = base
  t.equal(addressOf(same, base).toString(), '')
  t.same(fromQueryParams(new URLSearchParams(), base), same)
  const changed = { ...same, windowSeconds: 604_800, interval: 'day' as const }
  t.equal(addressOf(changed, base).toString(), 'window=604800&trend=day')
  t.same(fromQueryParams(addressOf(changed, base), base), changed)
  const filtered = {
    ...base,
    filters: [{ property: 'p', operator: 'eq' as const, value: '1' }],
    breakdown: 'q',
  }
  t.equal(addressOf(base, filtered).toString(), 'where=&by=', 'what was taken away is said')
  t.same(fromQueryParams(addressOf(base, filtered), filtered), base)
})

t.test('a saved funnel keeps what the screen shows', async () => {
  fc.assert(
    fc.property(draft, (made) => {
      const steps = made.steps.map((one, at) => ({ ...one, eventName: `e${at}` }))
      const shown = { ...made, steps, from: '', to: '', experiment: '' }
      const { query, ...saved } = savedOf(shown, emptyDraft)
      const funnel = {
        id: '',
        name: '',
        description: '',
        createdAt: '',
        updatedAt: '',
        ...saved,
        steps: saved.steps.map((one) => ({ name: one.eventName, filters: [], ...one })),
        query: {
          ...query,
          breakdown: query.breakdown === null ? null : { limit: 10, ...query.breakdown },
        },
      }
      t.same(savedOf(fromFunnel(funnel), emptyDraft), { ...saved, query })
    }),
    { numRuns: 200 },
  )
})

t.test('invalid parameters of an address are left out', async (t) => {
  const read = fromQueryParams(
    new URLSearchParams('step={&window=-1&order=up&days=x&from=never&where=[1]&without={}&top=99&trend=year'),
    undefined,
  )
  t.same({ ...read, steps: emptyDraft.steps }, emptyDraft)
  t.same(
    namedSteps(read).map(({ eventName }) => eventName),
    ['{'],
  )
  t.notOk(isComplete(read), 'no event can have such a name')
})

t.test('a typed value keeps its type', async (t) => {
  const meant = (operator: 'eq' | 'in' | 'contains' | 'exists', value: string) =>
    queryOf({ ...emptyDraft, filters: [{ property: 'p', operator, value }] }, NOW).filters?.[0]
  t.same(meant('eq', '10'), { property: 'p', operator: 'eq', value: 10 })
  t.same(meant('eq', '"10"'), { property: 'p', operator: 'eq', value: '10' })
  t.same(meant('eq', 'pro'), { property: 'p', operator: 'eq', value: 'pro' })
  t.same(meant('contains', '10'), { property: 'p', operator: 'contains', value: '10' })
  t.same(meant('in', 'a, 2'), { property: 'p', operator: 'in', value: ['a', 2] })
  t.same(meant('in', '["a"]'), { property: 'p', operator: 'in', value: ['a'] })
  t.same(meant('exists', ''), { property: 'p', operator: 'exists' })
  t.equal(meant('eq', ''), undefined, 'not filled in yet')
})

t.test('a saved funnel becomes a draft that saves the same funnel', async (t) => {
  const steps = [
    { name: 'a', eventName: 'a', filters: [] },
    {
      name: 'Paid',
      eventName: 'b',
      filters: [
        { property: 'n', operator: 'eq' as const, value: 10 },
        { property: 's', operator: 'eq' as const, value: '10' },
        { property: 'q', operator: 'eq' as const, value: '"' },
        { property: 'w', operator: 'contains' as const, value: 'true' },
        { property: 'l', operator: 'in' as const, value: ['a', 1, null] },
        { property: 'x', operator: 'not_exists' as const },
      ],
    },
  ]
  const funnel = {
    id: '',
    name: '',
    description: '',
    windowSeconds: 60,
    steps,
    query: null,
    createdAt: '',
    updatedAt: '',
  }
  const read = fromFunnel(funnel)
  t.same(stepsOf(read), [{ eventName: 'a' }, { eventName: 'b', name: 'Paid', filters: steps[1]?.filters }])
})

t.test('an unfinished exclusion and an empty step are not asked for', async (t) => {
  const made = {
    ...emptyDraft,
    steps: [
      { eventName: 'a', name: '', filters: [] },
      { eventName: ' ', name: '', filters: [] },
      { eventName: 'b', name: '', filters: [] },
    ],
    exclusions: [
      { eventName: '', fromStep: 0, toStep: 1 },
      { eventName: 'refund', fromStep: 0, toStep: 2 },
      { eventName: 'refund', fromStep: 0, toStep: 1 },
    ],
  }
  t.same(stepsOf(made), [{ eventName: 'a' }, { eventName: 'b' }])
  t.same(queryOf(made, NOW).exclusions, [{ eventName: 'refund', fromStep: 0, toStep: 1 }])
  t.equal(queryOf({ ...made, days: 7 }, NOW).from, '2026-11-15T00:00:00.000Z')
})

t.test('the period before has the same length in whole buckets', async (t) => {
  const asked = trendsFromParams(
    new URLSearchParams('series=a&days=7&where=["p","eq","1"]&by=plan&compare=1'),
  )
  const body = trendsBody(asked, NOW + 3_600_000)
  t.match(body, {
    from: '2026-11-15T00:00:00.000Z',
    series: [{ eventName: 'a' }],
    filters: [{ property: 'p', operator: 'eq', value: 1 }],
    breakdown: { property: 'plan', limit: 5 },
  })
  const before = periodBefore(body, NOW + 3_600_000)
  t.match(before, { from: '2026-11-07T00:00:00.000Z', to: '2026-11-14T01:00:00.000Z' })
  const months = periodBefore(
    { ...body, interval: 'month', from: '2026-10-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' },
    NOW,
  )
  t.match(months, { from: '2026-07-01T00:00:00.000Z', to: '2026-09-01T00:00:00.000Z' })
  const written = new URLSearchParams()
  for (const [name, value] of Object.entries(trendsToParams(asked)))
    for (const one of value === null ? [] : [value].flat()) written.append(name, one)
  t.same(trendsFromParams(written), asked)
})

t.test('an insight keeps what the screen shows, with its range and its comparison', async (t) => {
  const trends = 'series=a&series=b&by=plan&top=3&interval=week&compare=1'
  const retention = 'start=a&return=b&interval=week&periods=4'
  const funnel = 'step=a&step=b&order=strict&trend=day&experiment=button'
  for (const range of ['', 'days=365', 'from=2026-11-01T00:00:00.000Z', FIXED]) {
    const ofTrends = trendsFromParams(new URLSearchParams(`${trends}&${range}`))
    t.strictSame(trendsOfSaved(savedTrends(ofTrends)), ofTrends, `trends ${range}`)
    const ofRetention = retentionFromParams(new URLSearchParams(`${retention}&${range}`))
    t.strictSame(retentionOfSaved(savedRetention(ofRetention)), ofRetention, `retention ${range}`)
    const ofFunnel = fromQueryParams(new URLSearchParams(`${funnel}&${range}`))
    t.strictSame(funnelOfSaved(savedFunnelQuery(ofFunnel)), ofFunnel, `funnel ${range}`)
  }
})

const FIXED = 'from=2026-11-01T00:00:00.000Z&to=2026-11-08T12:00:00.000Z'
