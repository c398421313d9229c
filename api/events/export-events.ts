import { setTimeout } from 'node:timers/promises'
import { type Static, Type } from '@sinclair/typebox'
import { exportEvents } from '../../clickhouse/queries/events/export-events.js'
import { CSV, csvOf, PARQUET, parquetOf, presentBatches } from '../../management/events/index.js'
import type { Services } from '../../management/services.js'
import { storedThrough } from '../../postgres/tables/watermarks.js'
import { EventNameSchema } from '../funnels/schemas.js'
import { begun, download, NDJSON, ndjson } from '../http/download.js'
import { readTime, timesInOrder } from '../http/read-time.js'
import { assertValid, defineRoute, type Rule } from '../http/route.js'
import { closed, oneOf, time, uuid } from '../http/schemas.js'
import { EventSchema, exampleEvent } from './schemas.js'

/** Events become readable about a second after they were accepted. */
const STORED_WAIT_MS = 3_000
const STORED_LOOK_MS = 100

const exportQuery = closed({
  from: Type.Optional(time('Only events that happened then or later, by `timestamp`')),
  to: Type.Optional(time('Only events that happened before')),
  event: Type.Optional({ ...EventNameSchema, description: 'Only events of this name' }),
  format: oneOf(['ndjson', 'csv', 'parquet'], {
    default: 'ndjson',
    description: 'CSV and Parquet have `properties` as JSON',
  }),
  after: Type.Optional(
    uuid('The id of the last event of an export that broke off: the rest follows. Not with Parquet'),
  ),
})

const exportRules: readonly Rule<Static<typeof exportQuery>>[] = [
  timesInOrder,
  {
    of: ['format', 'after'],
    problems({ format, after }) {
      return format === 'parquet' && after !== undefined
        ? [{ path: 'query.after', message: 'must be left out with parquet, whose files cannot be continued' }]
        : []
    },
  },
]

export const exportEventsRoute = defineRoute('GET /events/export', 'exportEvents', {
  heavy: true,
  tag: 'Events',
  summary: 'Export events',
  description:
    'Streams events in the order of receipt, each once. Events that were accepted before the request are in it, unless the consumers are more than three seconds behind. The connection breaks if the export cannot be finished; `after` goes on.',
  query: exportQuery,
  queryRules: exportRules,
  responses: {
    200: {
      description: 'The events, one a line',
      contentType: NDJSON,
      schema: EventSchema,
      example: exampleEvent,
      otherTypes: [CSV, PARQUET],
    },
  },
  async handler(request) {
    const { query, services, workspaceId, signal } = request
    assertValid(exportRules, query, services.now())
    const { event, format, after } = query
    const range = {
      workspaceId,
      event,
      after,
      from: readTime(query.from)?.getTime(),
      to: readTime(query.to)?.getTime(),
      receivedBefore: await storedBefore(services, signal),
    }
    const batches = await begun(exportEvents(services.clickhouse, range, signal))
    const events = presentBatches(services.sql, workspaceId, batches)
    if (format === 'csv')
      return download(request, csvOf(events, after === undefined), {
        contentType: `${CSV}; charset=utf-8`,
        filename: 'events.csv',
      })
    if (format === 'parquet')
      return download(request, parquetOf(events), { contentType: PARQUET, filename: 'events.parquet' })
    return ndjson(request, events, 'events.ndjson')
  },
})

/** The time before which everything is stored: now, or earlier if the consumers are behind. Milliseconds. */
async function storedBefore({ sql, now }: Services, signal: AbortSignal): Promise<number> {
  const asked = now()
  for (let waitedMs = 0; ; waitedMs += STORED_LOOK_MS) {
    const stored = (await storedThrough(sql))?.getTime() ?? asked
    if (stored >= asked || waitedMs >= STORED_WAIT_MS) return Math.min(stored, asked)
    await setTimeout(STORED_LOOK_MS, undefined, { signal })
  }
}
