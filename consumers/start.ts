import type { Registry } from 'prom-client'
import { v7 } from 'uuid'
import type { ClickHouse } from '../clickhouse/port.js'
import type { EventLog } from '../log/port.js'
import type { Sql } from '../postgres/driver/client.js'
import { deadlineSignal } from '../runtime/concurrency/deadline-signal.js'
import { withTimeout } from '../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../runtime/errors.js'
import type { Logger } from '../runtime/logger.js'
import type { Check, Stage } from '../runtime/stage.js'
import { Deduplicator } from './dedup/deduplicator.js'
import { openIdFolder } from './dedup/id-snapshot.js'
import { EventConsumer } from './events/event-consumer.js'
import { IdentityConsumer } from './identity/identity-consumer.js'
import { startOutboxPump } from './identity/outbox-pump.js'
import { startDrainWatch } from './operations/drain.js'
import { createMetrics, registerGauges } from './operations/metrics.js'
import { startWatermarkPublisher } from './operations/watermarks.js'
import type { FaultPoint } from './partitions/fault-point.js'
import { startReplayWorker } from './replays/replay-worker.js'
import { Replayer } from './replays/replayer.js'

export interface ConsumersDependencies {
  /** Registered in the database (`registerLog`). */
  readonly log: EventLog
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  /** Bound of the deduplication sets in memory. The sets of the current block may exceed it. */
  readonly dedupMemoryBytes: number
  /** Local folder for ids that exceed memory. Undefined keeps ids in memory only. */
  readonly dedupFolder?: string | undefined
  readonly logger: Logger
  readonly registry: Registry
  readonly now: () => number
  readonly faultPoint?: FaultPoint
  readonly tuning?: Partial<ConsumerTuning>
}

const MIB = 1024 * 1024

/*
 * An insert costs some 40 ms of CPU plus 3 µs a row. Few events wait `lingerMs` for others, which bounds what
 * a trickle of inserts costs. From `enoughBytes` on, some 5,000 rows, waiting would only delay them: the next
 * block starts when the last one is stored. A consumer that falls behind gets larger blocks by that.
 */
const TUNING = {
  limits: { rows: 200_000, bytes: 64 * MIB },
  lingerMs: 200,
  enoughBytes: 2 * MIB,
  commitAfterMs: 80,
  // Longer than a silent connection is kept.
  postgresMs: 15_000,
  insertMs: 30_000,
  staleAfterMs: 10_000,
  outboxPollMs: 1_000,
  replayPollMs: 2_000,
  drainPollMs: 1_000,
  watermarksMs: 900,
}

export type ConsumerTuning = typeof TUNING & { readonly batchBytes: number }

/**
 * Batch size of a partition that is behind. Larger blocks need fewer merges: 64 MiB are some 150,000 rows.
 * Memory holds a batch three times for each partition, so with several partitions each gets half.
 */
function batchBytesOf({ partitions }: EventLog): number {
  return (partitions === 1 ? 64 : 32) * MIB
}

/** Some 4,000 links, a transaction that a slow Postgres still ends in time. */
const IDENTITY_BATCH_BYTES = 256 * 1024
const IDENTITY_LINGER_MS = 20
const CHECK_MS = 1_800
const STOP_MS = 5_000

/** Starts reading the log into the stores. The caller closes log, Postgres and ClickHouse after `stop`. */
export async function startConsumers(deps: ConsumersDependencies): Promise<Stage> {
  const { sql, clickhouse, logger, registry } = deps
  const tuning: ConsumerTuning = { ...TUNING, batchBytes: batchBytesOf(deps.log), ...deps.tuning }
  const folder = await openDedupFolder(deps)
  const work = startWork(deps, tuning, folder)
  const { events, outbox, replays, drain, watermarks, deduplicator } = work
  const reading = startReading(deps, tuning, work)
  return {
    name: 'consumers',
    url: undefined,
    async checks() {
      return Promise.all([
        check('log', () => reading.check()),
        check('postgres', () => sql`select 1`),
        check('clickhouse', async () => {
          await clickhouse.ping(deadlineSignal(CHECK_MS))
          const problem = events.problem()
          if (problem !== undefined) throw new Error(`it accepts no events: ${problem}`)
        }),
      ])
    },
    metrics: () => registry.getMetricsAsJSON(),
    async stop() {
      reading.abort()
      const ending = async (): Promise<void> => {
        await Promise.all([replays.stop(), reading.ended])
        await events.commitAll()
        await deduplicator.close()
      }
      // A store that does not answer must not delay the stop. The next start replays what is left open.
      const late = (error: unknown): void =>
        logger.warn({ err: error }, 'Stopping before all work is finished; the next start completes it')
      await Promise.all([
        withTimeout(STOP_MS, 'the current block', ending()).catch(late),
        withTimeout(STOP_MS, 'the outbox', outbox.stop()).catch(late),
        withTimeout(STOP_MS, 'the drain', drain.stop()).catch(late),
        withTimeout(STOP_MS, 'the watermarks', watermarks.stop()).catch(late),
      ])
    },
  }
}

async function openDedupFolder(deps: ConsumersDependencies): Promise<string | undefined> {
  const { dedupFolder, log, logger, now } = deps
  if (dedupFolder === undefined) return undefined
  try {
    return await openIdFolder(dedupFolder, log.id, new Date(now()))
  } catch (error) {
    logger.warn(
      { err: error, folder: dedupFolder },
      'Folder cannot be written; deduplication keeps ids in memory only',
    )
    return undefined
  }
}

function startWork(deps: ConsumersDependencies, tuning: ConsumerTuning, folder: string | undefined) {
  const { log, clickhouse, logger, registry } = deps
  const { postgresMs, insertMs, staleAfterMs, limits, commitAfterMs } = tuning
  const metrics = createMetrics(registry)
  const deduplicator = new Deduplicator(clickhouse, log, deps.dedupMemoryBytes, { logger, folder })
  const timing = { postgresMs, insertMs, staleAfterMs }
  const common = { ...deps, faultPoint: deps.faultPoint ?? (() => {}), newId: v7, metrics, postgresMs }
  const pipeline = { ...common, timing, deduplicator }
  const events = new EventConsumer(pipeline, new Replayer(pipeline), { limits, commitAfterMs })
  const outbox = startOutboxPump({ ...common, pollMs: tuning.outboxPollMs })
  const onLinksWritten = outbox.poke
  const identity = new IdentityConsumer({ ...common, onLinksWritten })
  const replays = startReplayWorker({ ...common, events, onLinksWritten, pollMs: tuning.replayPollMs })
  const drain = startDrainWatch({ ...common, pollMs: tuning.drainPollMs })
  const watermarks = startWatermarkPublisher({ ...common, everyMs: tuning.watermarksMs })
  registerGauges(registry, { ...common, deduplicator, positions: () => events.positions() })
  return { events, identity, outbox, replays, drain, watermarks, deduplicator }
}

/** Reads the log until `abort`. `ended` resolves then; `check` throws what ended it early. */
function startReading(
  { log, logger }: ConsumersDependencies,
  tuning: ConsumerTuning,
  { events, identity, watermarks }: ReturnType<typeof startWork>,
) {
  const stopping = new AbortController()
  let failure: unknown
  const { batchBytes: maxBatchBytes, lingerMs, enoughBytes } = tuning
  const reading = [
    log.consume(
      { kind: 'events', maxBatchBytes, lingerMs, enoughBytes },
      watermarks.watch(events),
      stopping.signal,
    ),
    log.consume(
      { kind: 'identity', maxBatchBytes: IDENTITY_BATCH_BYTES, lingerMs: IDENTITY_LINGER_MS },
      watermarks.watch(identity),
      stopping.signal,
    ),
  ].map((consuming) =>
    consuming.catch((error: unknown) => {
      failure = error
      logger.error({ err: error }, 'Reading the log has ended; restart the process')
    }),
  )
  return {
    abort: () => stopping.abort(),
    ended: Promise.all(reading),
    async check(): Promise<void> {
      if (failure !== undefined) throw failure
      await log.ping()
    },
  }
}

async function check(name: Check['name'], ask: () => PromiseLike<unknown>): Promise<Check> {
  try {
    await withTimeout(CHECK_MS, name, Promise.resolve(ask()))
    return { name, ok: true, message: '' }
  } catch (error) {
    return { name, ok: false, message: errorMessage(error) }
  }
}
