import t from 'tap'
import { EVENT_LIMITS, TIMESTAMP_ADJUSTMENTS } from '../event.js'

t.test('limits are the documented ones', async (t) => {
  t.same(EVENT_LIMITS, {
    eventsPerRequest: 500,
    eventNameLength: 500,
    userIdLength: 255,
    anonymousIdLength: 255,
    insertIdLength: 200,
    sdkVersionLength: 200,
    propertiesBytes: 8192,
    propertiesDepth: 64,
  })
})

t.test('the order of timestamp adjustments never changes, because they are stored as numbers', async (t) => {
  t.same(TIMESTAMP_ADJUSTMENTS, ['none', 'skew', 'clamped_past', 'clamped_future', 'imported'])
})
