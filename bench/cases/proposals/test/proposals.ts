import t from 'tap'
import { groundedOf } from '../proposals.js'

t.test('ideas that could be written count as grounded, also if a review leaves them out', (t) => {
  const reasons = [null, 'not_worth', 'beyond_count', 'not_grounded', 'duplicate', 'malformed', 'fault_seen']
  const ideas = reasons.map((reason) => ({
    ...{ name: 'An idea', message: null, reason },
    outcome: 'dropped' as const,
  }))
  t.equal(groundedOf({ ideas }), 3)
  t.end()
})
