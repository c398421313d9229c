import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { EventLog } from '../../log/port.js'
import type { Sql } from '../../postgres/driver/client.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { BlockCounts } from '../blocks/block.js'
import type { Deduplicator } from '../dedup/deduplicator.js'
import { readTotals } from '../partitions/checkpoint.js'

export function createMetrics(registry: Registry) {
  const registers = [registry]
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, buckets, registers })
  return {
    rowsStored: counter('svc_consumer_rows_stored_total', 'Events stored in ClickHouse by this process.'),
    rowsDuplicate: counter(
      'svc_consumer_rows_duplicate_total',
      'Events dropped because their insertId was stored in the same month.',
    ),
    rowsDeadLettered: counter(
      'svc_consumer_rows_dead_lettered_total',
      'Events kept as dead letters because they cannot be read or stored.',
    ),
    insertSeconds: histogram(
      'svc_consumer_insert_seconds',
      'Time of one insert of a block into ClickHouse.',
      [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    ),
    blockRows: histogram(
      'svc_consumer_block_rows',
      'Events of a block before deduplication.',
      [1, 10, 100, 1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 200_000],
    ),
    delaySeconds: histogram(
      'svc_consumer_delay_seconds',
      'From the receipt of the oldest event of a block until the block is stored.',
      [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3_600],
    ),
    links: counter('svc_identity_links_total', 'New links between anonymous ids and users, made by events.'),
    contradictedLinks: counter(
      'svc_identity_contradicted_links_total',
      'Links that were not made, because the anonymous id is linked to another user already.',
    ),
  }
}

/** One scrape reads several gauges, so totals are cached for a moment. */
const LEDGER_MAX_AGE_MS = 100
/** A scrape waits no longer for the totals, so that it still shows the other metrics. */
const LEDGER_WAIT_MS = 1_000

/** Counts of the events of a log, by the database and the log. Both survive restarts. */
interface Ledger extends BlockCounts {
  /** Undefined if the log does not count what is appended. */
  readonly accepted: number | undefined
}

/** Gauges that are read by a scrape. If a store does not answer, they keep their last value. */
export function registerGauges(
  registry: Registry,
  sources: {
    readonly sql: Sql
    readonly log: EventLog
    readonly deduplicator: Deduplicator
    readonly positions: () => ReadonlyMap<number, number>
  },
): void {
  const { sql, log, deduplicator, positions } = sources
  const registers = [registry]
  new Gauge({
    name: 'svc_consumer_lag_records',
    help: 'Offsets of a partition between the end of the log and what is stored.',
    labelNames: ['partition'],
    registers,
    async collect() {
      this.reset()
      for (const [partition, position] of positions()) {
        // The partition is left out of this scrape; readiness reports the log.
        const end = await log.end(partition).catch(() => undefined)
        if (end !== undefined) this.set({ partition }, Math.max(0, end - position))
      }
    },
  })
  const gauge = (name: string, help: string, read: () => number | Promise<number | undefined>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await read()
        if (value !== undefined) this.set(value)
      },
    })
  gauge('svc_dedup_entries', 'Ids in the in-memory deduplication sets.', () => deduplicator.size().entries)
  gauge('svc_dedup_bytes', 'Memory of the deduplication sets.', () => deduplicator.size().bytes)
  const ledger = cachedLedger(sql, log)
  const total = (name: string, help: string, figure: (ledger: Ledger) => number | undefined) =>
    gauge(name, help, async () => {
      const totals = await ledger()
      return totals === undefined ? undefined : figure(totals)
    })
  const durable = 'durable total with the block at work.'
  total('svc_ledger_stored', `Events stored, ${durable}`, ({ stored }) => stored)
  total('svc_ledger_duplicates', `Events dropped as duplicates, ${durable}`, ({ duplicates }) => duplicates)
  total('svc_ledger_dead_letters', `Events kept as dead letters, ${durable}`, ({ dead }) => dead)
  total('svc_ledger_accepted', 'Events appended to the log since it was made.', ({ accepted }) => accepted)
  total(
    'svc_ledger_in_flight',
    'Events in the log that are not yet stored, dropped or dead: 0 when svc_consumer_lag_records is.',
    ({ accepted, stored, duplicates, dead }) =>
      accepted === undefined ? undefined : accepted - stored - duplicates - dead,
  )
}

/** Reads the totals at most every `LEDGER_MAX_AGE_MS`. Undefined if they cannot be read in time. */
function cachedLedger(sql: Sql, log: EventLog): () => Promise<Ledger | undefined> {
  let read: { at: number; pending: boolean; ledger: Promise<Ledger | undefined> } | undefined
  return () => {
    if (read === undefined || (!read.pending && performance.now() - read.at > LEDGER_MAX_AGE_MS)) {
      const asking = { at: performance.now(), pending: true, ledger: readLedger(sql, log) }
      void asking.ledger.finally(() => {
        asking.pending = false
      })
      read = asking
    }
    // Without totals the gauges are absent, which tells an alert more than an old value.
    return withTimeout(LEDGER_WAIT_MS, 'Postgres, the ledger', read.ledger).catch(() => undefined)
  }
}

async function readLedger(sql: Sql, log: EventLog): Promise<Ledger | undefined> {
  try {
    const totals = await readTotals(sql, log.id)
    // After the totals, so that what is in flight is never negative.
    return { ...totals, accepted: await log.appendedEvents() }
  } catch {
    // Left out of this scrape: readiness reports Postgres.
    return undefined
  }
}
