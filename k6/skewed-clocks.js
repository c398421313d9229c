// Clients whose clocks are wrong by up to 23 hours and who send sentAt. At the end the newest events have the
// times of the service's clock.
// Environment: VUS (16), ITERATIONS (400 batches), BATCH (100 events).
import { check } from 'k6'
import http from 'k6/http'
import {
  api,
  callerHeaders,
  countEvents,
  eventsOf,
  newRun,
  number,
  runOptions,
  send,
  sharedIterations,
} from './support/svc.js'

const batch = number('BATCH', 100)
const MAX_OFFSET_MS = 23 * 3_600_000
/** The service ignores smaller differences. */
const MIN_OFFSET_MS = 5_000
/** A request may be retried for some seconds, with its original times. */
const TOLERANCE_MS = 60_000

export const options = runOptions(
  { clients: sharedIterations(400) },
  { http_req_duration: ['p(99)<2000'] },
)

export const setup = () => newRun('skewed')

export default function (run) {
  // Slow and fast clocks in turn.
  const off = (MIN_OFFSET_MS + Math.random() * (MAX_OFFSET_MS - MIN_OFFSET_MS)) * (__ITER % 2 === 0 ? 1 : -1)
  const now = new Date(Date.now() + off).toISOString()
  send(eventsOf(run, batch, { timestamp: now }), { sentAt: now })
}

export function teardown(run) {
  countEvents(run)
  const response = http.get(`${api}/v1/events?limit=100`, { headers: callerHeaders })
  check(response, {
    'times are corrected': (r) => {
      const ours = r.json('data').filter(({ event }) => event === run.name)
      return ours.length > 0 && ours.every(isCorrected)
    },
  })
}

function isCorrected({ timestamp, receivedAt, timestampAdjustment }) {
  const off = Date.parse(timestamp) - Date.parse(receivedAt)
  return timestampAdjustment === 'skew' && Math.abs(off) < TOLERANCE_MS
}
