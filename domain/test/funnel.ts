import t from 'tap'
import { FILTER_OPERATORS, FUNNEL_LIMITS } from '../funnel.js'

t.test('operators and limits are the documented ones', async (t) => {
  t.same(FILTER_OPERATORS, ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'contains', 'exists', 'not_exists', 'in'])
  t.same(FUNNEL_LIMITS, {
    nameLength: 200,
    descriptionLength: 2_000,
    steps: 20,
    windowSeconds: 90 * 86_400,
    defaultWindowSeconds: 7 * 86_400,
    rangeDays: 366,
    defaultGroups: 10,
  })
})
