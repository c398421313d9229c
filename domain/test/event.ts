import t from 'tap'
import { EVENT_LIMITS, TIMESTAMP_ADJUSTMENTS } from '../event.js'

t.test('the limits are those of the contract', async (t) => {
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

t.test('adjustments of timestamps are stored as numbers, so their order never changes', async (t) => {
  t.same(TIMESTAMP_ADJUSTMENTS, ['none', 'skew', 'clamped_past', 'clamped_future'])
})
