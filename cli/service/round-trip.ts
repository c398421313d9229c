import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import type { Context } from '../context.js'
import { postEvents } from '../events/post.js'
import { findIngestUrl } from '../events/send.js'
import { formatDuration } from '../render/terminal-style.js'
import type { Check } from './checks.js'

const LIMIT_MS = 15_000
const PAUSE_MS = 100

/** Sends one event and waits until the API lists it. */
export async function checkRoundTrip(context: Context): Promise<Check[]> {
  const { serverKey } = context.environment
  if (serverKey === undefined)
    return [
      {
        code: 'round_trip',
        ok: true,
        message: 'Not tried: SVC_SERVER_KEY holds the key that sends events',
        fix: '',
      },
    ]
  const ingestUrl = await findIngestUrl(context)
  const insertId = context.newId()
  const event = JSON.stringify({ event: '$svc_doctor', anonymousId: 'svc-doctor', insertId })
  const posted = await postEvents(
    ingestUrl,
    serverKey,
    `svc/${context.version}`,
    [event],
    deadlineSignal(LIMIT_MS),
  )
  if (posted.kind !== 'accepted')
    return [
      {
        code: 'round_trip',
        ok: false,
        message: `${ingestUrl} took no event: ${posted.kind === 'refused' ? `${posted.refusal.message} (${posted.refusal.code})` : posted.reason}`,
        fix: 'Look at SVC_INGEST_URL and SVC_SERVER_KEY',
      },
    ]
  const api = await context.api()
  const acceptedAt = context.now()
  while (context.now() - acceptedAt < LIMIT_MS) {
    const { body } = await api.call('listEvents', { query: { limit: 100 } })
    if (body.data.some((stored) => stored.insertId === insertId))
      return [
        {
          code: 'round_trip',
          ok: true,
          message: `An event was visible ${formatDuration(context.now() - acceptedAt)} after ${ingestUrl} accepted it`,
          fix: '',
        },
      ]
    await context.sleep(PAUSE_MS)
  }
  return [
    {
      code: 'round_trip',
      ok: false,
      message: `An event that ${ingestUrl} accepted was not visible after ${formatDuration(LIMIT_MS)}`,
      fix: 'See that the server key is of the same workspace, and that the consumers run',
    },
  ]
}
