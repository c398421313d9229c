import { Registry } from 'prom-client'
import { v7 } from 'uuid'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { openEmbeddedLog } from '../../../log/embedded/log.js'
import type { EventLog, StoredRecord } from '../../../log/port.js'
import type { Sql } from '../../../postgres/driver/client.js'
import { type LedgerHour, readKeyLedger } from '../../../postgres/tables/key-ledger.js'
import { deadlineSignal } from '../../../runtime/concurrency/deadline-signal.js'
import { createLogger } from '../../../runtime/logger.js'
import { Deduplicator } from '../../dedup/deduplicator.js'
import { EventConsumer, type EventConsumerOptions } from '../../events/event-consumer.js'
import { createMetrics } from '../../operations/metrics.js'
import { registerLog } from '../../operations/register-log.js'
import type { PipelineDependencies } from '../../partitions/prepare-block.js'
import { Replayer } from '../../replays/replayer.js'
import { KEY } from './events.js'
import type { TestStores } from './stores.js'

export const quiet = createLogger('silent', 'test')

export const never = new AbortController().signal

let logs = 0

export async function openLog(stores: TestStores, partitions = 1): Promise<EventLog> {
  const path = `${stores.folder}/log${logs++}`
  const log = await openEmbeddedLog({ path, partitions, identityPartitions: 1 })
  stores.atEnd(() => log.close())
  return log
}

/**
 * Every record of a partition that was not trimmed. If the last one was, those that come within the limit.
 */
export async function readAll(log: EventLog, partition = 0, patienceMs = 10_000): Promise<StoredRecord[]> {
  const records: StoredRecord[] = []
  const kind = partition < log.partitions ? 'events' : 'identity'
  const end = await log.end(partition)
  if (end === 0) return records
  const stop = new AbortController()
  const kept: number[] = []
  await log.consume(
    { kind, maxBatchBytes: 2 ** 24, lingerMs: 0 },
    {
      assigned: async () => 0,
      async handle(from, batch) {
        if (from !== partition) return
        for (const { offset, payload } of batch) {
          records.push({ offset, payload: payload.slice() })
          kept.push(offset)
        }
        if (batch.at(-1)?.offset === end - 1) stop.abort()
      },
    },
    deadlineSignal(patienceMs, stop.signal),
  )
  return records
}

export interface Harness {
  readonly log: EventLog
  readonly sql: Sql
  readonly clickhouse: ClickHouse
}

export type Overrides = Partial<PipelineDependencies & EventConsumerOptions>

/** A handler as one process would have it. */
export function eventsHandler(harness: Harness, overrides: Overrides = {}): EventConsumer {
  const clickhouse = overrides.clickhouse ?? harness.clickhouse
  const deps: PipelineDependencies = {
    ...harness,
    logger: quiet,
    metrics: createMetrics(new Registry()),
    faultPoint: () => {},
    newId: v7,
    now: Date.now,
    deduplicator: new Deduplicator(clickhouse, harness.log, 2 ** 30),
    timing: { postgresMs: 10_000, insertMs: 10_000, staleAfterMs: 10_000 },
    ...overrides,
  }
  return new EventConsumer(deps, new Replayer(deps), {
    limits: overrides.limits ?? { rows: 100_000, bytes: 2 ** 26 },
    commitAfterMs: overrides.commitAfterMs ?? 30,
  })
}

export async function harness(stores: TestStores, clickhouse?: ClickHouse): Promise<Harness> {
  const { sql } = await stores.postgres()
  const log = await openLog(stores)
  await registerLog(sql, log)
  return { log, sql, clickhouse: clickhouse ?? (await stores.clickhouse()) }
}

export interface Place {
  readonly place: string
  readonly n: number
}

/** Rows of a log by their place, with how often each is stored. */
export async function storedPlaces({ clickhouse, log }: Harness): Promise<Map<string, number>> {
  const { rows } = await clickhouse.query<Place>(
    `SELECT concat(toString(log_offset), ':', toString(request_index)) AS place, count() AS n
    FROM events WHERE log_id = {log:UUID} GROUP BY place`,
    { params: { log: log.id } },
  )
  return new Map(rows.map(({ place, n }) => [place, n]))
}

export interface Ledger {
  readonly done: number
  readonly open: boolean
  readonly epoch: number
  readonly stored: number
  readonly duplicates: number
  readonly dead: number
}

export async function ledger({ sql, log }: Harness, partition = 0): Promise<Ledger> {
  const [row] = await sql`
    select epoch::int, done_offset::int as done, open_to is not null as open,
      (total_stored + open_stored)::int as stored, (total_duplicates + open_duplicates)::int as duplicates,
      (total_dead + open_dead)::int as dead
    from log_partitions where log_id = ${log.id} and log_partition = ${partition}`
  return { ...row } as unknown as Ledger
}

/** The hours of the ledger of the test's key. */
export function keyHours({ sql }: Pick<Harness, 'sql'>, workspaceId: string): Promise<readonly LedgerHour[]> {
  return readKeyLedger(sql, workspaceId, KEY, { from: new Date(0), to: new Date(Date.UTC(2100, 0)) })
}

/** Start of each hour of receipt in milliseconds, with the number of rows in the table. */
export async function storedByHour(
  { clickhouse }: Pick<Harness, 'clickhouse'>,
  workspaceId: string,
): Promise<[hour: number, rows: number][]> {
  const { rows } = await clickhouse.query<{ hour: number; rows: number }>(
    `SELECT toUnixTimestamp(toStartOfHour(received_at, 'UTC')) AS hour, count() AS rows
    FROM events WHERE workspace_id = {workspace:UUID} GROUP BY hour ORDER BY hour`,
    { params: { workspace: workspaceId }, readYourWrites: true },
  )
  return rows.map(({ hour, rows }) => [hour * 1_000, rows])
}

/** This process is gone: its handler is never asked again. */
export class Crash extends Error {
  override readonly name = 'Crash'
}

/**
 * Delivers records as a log does: from the handler's position on, again after a rejection, and to a new
 * handler after a `Crash`. Returns the last handler.
 */
export async function deliver(
  makeHandler: () => EventConsumer,
  records: readonly StoredRecord[],
  batchRecords = 1_000,
  attempts = 50,
): Promise<EventConsumer> {
  let handler = makeHandler()
  let failure: unknown
  for (let attempt = 0; attempt < attempts; attempt++)
    try {
      let position = await handler.assigned(0)
      for (;;) {
        const left = records.filter((record) => record.offset >= position).slice(0, batchRecords)
        const last = left.at(-1)
        if (last === undefined) {
          await handler.commitAll()
          return handler
        }
        const batch = left.map(({ offset, payload }) => ({ offset, payload: payload.slice() }))
        await handler.handle(0, batch, never)
        position = last.offset + 1
        // The log's again: nothing may depend on them.
        for (const { payload } of batch) payload.fill(0xff)
      }
    } catch (error) {
      failure = error
      if (error instanceof Crash) handler = makeHandler()
    }
  throw new Error(`not delivered in ${attempts} attempts`, { cause: failure })
}

/** Names and numbers of events in the table and in the vocabulary, of one workspace. */
export async function vocabularies(
  { clickhouse }: Pick<Harness, 'clickhouse'>,
  workspaceId: string,
): Promise<{ readonly table: unknown[]; readonly vocabulary: unknown[] }> {
  const params = { workspace: workspaceId }
  const table = await clickhouse.query(
    'SELECT event, count() AS count FROM events WHERE workspace_id = {workspace:UUID} GROUP BY event ORDER BY event',
    { params },
  )
  const vocabulary = await clickhouse.query(
    'SELECT event, sum(count) AS count FROM event_names WHERE workspace_id = {workspace:UUID} GROUP BY event ORDER BY event',
    { params },
  )
  return { table: table.rows, vocabulary: vocabulary.rows }
}
