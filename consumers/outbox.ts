import { setTimeout as delay } from 'node:timers/promises'
import type { ClickHouse } from '../clickhouse/port.js'
import type { Sql } from '../postgres/client.js'
import type { Logger } from '../runtime/logger.js'
import { within } from '../runtime/within.js'
import type { FaultPoint } from './fault-point.js'

/** Announced by whoever writes outbox rows, so that links are known to queries without waiting for the next look. */
export const LINK_CHANNEL = 'svc_links'

const BATCH_ROWS = 10_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 4_000
/** Ending to listen is a courtesy: the connection is closed after it in any case. */
const UNLISTEN_MS = 500

export interface OutboxDependencies {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly logger: Logger
  readonly faultPoint: FaultPoint
  /** Between two looks at the outbox where nobody announced anything. */
  readonly pollMs: number
  readonly timeoutMs: number
}

export interface OutboxPump {
  /** There are new rows. */
  poke(): void
  /** Finishes what it is at and ends. */
  stop(): Promise<void>
}

interface OutboxRow {
  id: string
  workspace_id: string
  anonymous_key: string
  user_key: string
}

/**
 * Carries links from Postgres to ClickHouse: read, write, then delete. Writing is idempotent, so a crash in between repeats the write, and two
 * pumps do each other no harm.
 */
export function startOutboxPump(deps: OutboxDependencies): OutboxPump {
  const { sql, logger } = deps
  const stopped = new AbortController()
  let wake: () => void = () => {}
  let poked = false
  const poke = () => {
    poked = true
    wake()
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!stopped.signal.aborted) {
      poked = false
      try {
        const carried = await pumpOnce(deps)
        failures = 0
        if (carried === BATCH_ROWS) continue
      } catch (error) {
        const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++)
        logger.warn({ err: error, pauseMs }, 'links wait in the outbox')
        await delay(pauseMs, undefined, { signal: stopped.signal }).catch(() => {})
        continue
      }
      if (!poked) await pause(deps.pollMs)
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  const running = run()
  // Polling makes up for a connection that is lost, so a failure to listen only costs time.
  const listening = sql.listen(LINK_CHANNEL, poke).catch((error: unknown) => {
    logger.warn({ err: error }, 'new links are found by polling only')
    return undefined
  })

  return {
    poke,
    async stop() {
      stopped.abort()
      // Also where it is between its last look and the pause.
      poke()
      await running
      const unlisten = async () => (await listening)?.unlisten()
      await within(UNLISTEN_MS, 'Postgres, ending to listen', unlisten()).catch(() => {})
    },
  }
}

/** Carries one batch over. Returns its size. */
export async function pumpOnce(deps: OutboxDependencies): Promise<number> {
  const { sql, clickhouse, timeoutMs } = deps
  const rows = await within(
    timeoutMs,
    'Postgres, reading the outbox',
    sql<OutboxRow[]>`
      select id, workspace_id, anonymous_key, user_key from link_outbox order by id limit ${BATCH_ROWS}`,
  )
  if (rows.length === 0) return 0
  await within(
    timeoutMs,
    'ClickHouse, writing links',
    clickhouse.insertLinks(
      rows.map((row) => ({
        workspaceId: row.workspace_id,
        anonymousKey: BigInt(row.anonymous_key),
        userKey: BigInt(row.user_key),
      })),
    ),
  )
  await deps.faultPoint('outbox:written')
  await within(
    timeoutMs,
    'Postgres, emptying the outbox',
    sql`delete from link_outbox where id = any(${rows.map((row) => row.id)}::bigint[])`,
  )
  return rows.length
}
