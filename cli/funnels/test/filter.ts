import t from 'tap'
import { matchesFilter } from '../../events/matches-filter.js'
import { parseExclusion, parseFilter } from '../filter.js'

t.test('a typed condition becomes a filter', async (t) => {
  const cases: [string, object][] = [
    ['plan = pro', { property: 'plan', operator: 'eq', value: 'pro' }],
    ['plan=pro', { property: 'plan', operator: 'eq', value: 'pro' }],
    ['total >= 10', { property: 'total', operator: 'gte', value: 10 }],
    ['total!=10.5', { property: 'total', operator: 'neq', value: 10.5 }],
    ['id = "10"', { property: 'id', operator: 'eq', value: '10' }],
    ['page contains a=b', { property: 'page', operator: 'contains', value: 'a=b' }],
    ['page contains 10', { property: 'page', operator: 'contains', value: '10' }],
    ['country in ["de","at"]', { property: 'country', operator: 'in', value: ['de', 'at'] }],
    ['country in de, at', { property: 'country', operator: 'in', value: ['de', 'at'] }],
    ['coupon exists', { property: 'coupon', operator: 'exists' }],
    ['coupon not_exists', { property: 'coupon', operator: 'not_exists' }],
  ]
  for (const [text, filter] of cases) t.strictSame(parseFilter(text), filter, text)
  for (const text of ['', 'plan', '= pro', 'plan ='])
    t.throws(() => parseFilter(text), { name: 'CommandError' }, text)
  t.strictSame(parseExclusion('refund_asked:0:2'), { eventName: 'refund_asked', fromStep: 0, toStep: 2 })
  t.throws(() => parseExclusion('refund_asked'), { name: 'CommandError' })
})

t.test('a condition on watched events holds as it does in a funnel', async (t) => {
  const properties = { total: 12, plan: { name: 'pro' }, 'a.b': 1, none: null }
  for (const [text, expected] of [
    ['total > 10', true],
    ['total > "10"', false],
    ['total <= 11', false],
    ['plan.name = pro', true],
    ['a.b = 1', true],
    ['none exists', false],
    ['none not_exists', true],
    ['gone != 3', true],
    ['plan = {"name":"pro"}', true],
    ['total in [1, 12]', true],
    ['plan.name contains r', true],
  ] as const)
    t.equal(matchesFilter(properties, parseFilter(text)), expected, text)
})
