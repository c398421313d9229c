import { formatDuration } from '../../domain/text/format.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import type { Context } from '../context.js'
import { postEvents } from '../events/post.js'
import { findIngestUrl } from '../events/send.js'
import { type CheckResult, failed, passed } from '../render/checks.js'

const LIMIT_MS = 15_000
const PAUSE_MS = 100

export async function checkRoundTrip(context: Context): Promise<CheckResult[]> {
  const { serverKey } = context.environment
  if (serverKey === undefined)
    return [passed('round_trip', 'Not tried: set SVC_SERVER_KEY to a key that sends events')]
  const ingestUrl = await findIngestUrl(context)
  const insertId = context.newId()
  const event = JSON.stringify({ event: '$svc_doctor', anonymousId: 'svc-doctor', insertId })
  const signal = deadlineSignal(LIMIT_MS)
  const posted = await postEvents(ingestUrl, serverKey, `svc/${context.version}`, [event], signal)
  if (posted.kind !== 'accepted') {
    const reason =
      posted.kind === 'refused' ? `${posted.refusal.message} (${posted.refusal.code})` : posted.reason
    const message = `${ingestUrl} accepted no event: ${reason}`
    return [failed('round_trip', message, 'Check SVC_INGEST_URL and SVC_SERVER_KEY')]
  }
  const api = await context.api()
  const acceptedAt = context.now()
  while (context.now() - acceptedAt < LIMIT_MS) {
    const { body } = await api.call('listEvents', { query: { limit: 100 } })
    if (body.data.some((stored) => stored.insertId === insertId)) {
      const took = formatDuration(context.now() - acceptedAt)
      return [passed('round_trip', `An event was visible ${took} after ${ingestUrl} accepted it`)]
    }
    await context.sleep(PAUSE_MS)
  }
  return [
    failed(
      'round_trip',
      `An event that ${ingestUrl} accepted was not visible after ${formatDuration(LIMIT_MS)}`,
      'Check that the server key is of the same workspace, and that the consumers run',
    ),
  ]
}
