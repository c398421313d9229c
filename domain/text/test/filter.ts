import t from 'tap'
import { formatFilter } from '../filter.js'

t.test('filters are formatted in words', async (t) => {
  t.equal(formatFilter({ property: 'total', operator: 'gte', value: 10 }), 'total >= 10')
  t.equal(
    formatFilter({ property: 'plan', operator: 'in', value: ['pro', 'team'] }),
    'plan in ["pro","team"]',
  )
  t.equal(formatFilter({ property: 'coupon', operator: 'exists' }), 'coupon exists')
  t.equal(formatFilter({ property: 'coupon', operator: 'not_exists' }), 'coupon does not exist')
})
