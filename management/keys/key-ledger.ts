import { HOUR_MS, startOfHour } from '../../domain/hour.js'
import {
  type LedgerCounts,
  type LedgerHour,
  type LedgerRange,
  ledgerSince,
  readKeyLedger,
} from '../../postgres/tables/key-ledger.js'
import { findKeysCalled, type KeySummary } from '../../postgres/tables/keys.js'
import { settledEvents } from '../../postgres/tables/log-progress.js'
import { storedThrough } from '../../postgres/tables/watermarks.js'
import { notFound, validationFailed } from '../domain-errors.js'
import type { Services } from '../services.js'

/** Outcomes of the events of a key, hour by hour. */
export interface KeyLedger extends LedgerRange {
  readonly key: KeySummary
  /** The first hour that is known as a whole. Null if every hour is. */
  readonly since: Date | null
  /** Everything received before is counted. Null if no log is in use. */
  readonly settledUntil: Date | null
  /** Events of every key that are in the log and not counted yet. Null if the log does not count them. */
  readonly waiting: number | null
  readonly total: LedgerCounts
  /** Hours without events are left out. */
  readonly hours: readonly (LedgerHour & { readonly settled: boolean })[]
}

/**
 * @param called the id of a key, its name, or its last four characters
 * @throws DomainError if no key, or more than one, is called so
 */
export async function readLedgerOfKey(
  services: Pick<Services, 'sql' | 'log'>,
  workspaceId: string,
  called: string,
  asked: LedgerRange,
): Promise<KeyLedger> {
  const { sql } = services
  const key = await keyCalled(services, workspaceId, called)
  const range = {
    from: new Date(startOfHour(asked.from.getTime())),
    to: new Date(startOfHour(asked.to.getTime() + HOUR_MS - 1)),
  }
  const [waiting, through, since] = await Promise.all([
    waitingEvents(services),
    storedThrough(sql),
    ledgerSince(sql),
  ])
  // Read last: what is settled by then is in it.
  const hours = await readKeyLedger(sql, workspaceId, key.id, {
    ...range,
    from: new Date(Math.max(range.from.getTime(), since?.getTime() ?? 0)),
  })
  return {
    ...range,
    key,
    since,
    settledUntil: through ?? null,
    waiting,
    total: sumOf(hours),
    hours: hours.map((hour) => ({
      ...hour,
      settled: through === undefined || hour.at.getTime() + HOUR_MS <= through.getTime(),
    })),
  }
}

async function keyCalled(
  { sql }: Pick<Services, 'sql'>,
  workspaceId: string,
  called: string,
): Promise<KeySummary> {
  const keys = await findKeysCalled(sql, workspaceId, called)
  const [key] = keys.length > 1 ? keys.filter(({ id }) => id === called.toLowerCase()) : keys
  if (key !== undefined) return key
  if (keys.length === 0) throw notFound('key')
  const ids = keys.map(({ id, name, last4 }) => `${id} (${name}, …${last4})`).join(', ')
  throw validationFailed([{ path: 'query.key', message: `fits several keys; name one by its id: ${ids}` }])
}

async function waitingEvents({ sql, log }: Pick<Services, 'sql' | 'log'>): Promise<number | null> {
  if (log === undefined) return null
  const settled = await settledEvents(sql, log.id)
  // After the settled ones, so that there are never fewer than none.
  const appended = await log.appendedEvents()
  return appended === undefined ? null : Math.max(0, appended - settled)
}

function sumOf(hours: readonly LedgerCounts[]): LedgerCounts {
  const sum = (figure: keyof LedgerCounts) => hours.reduce((total, hour) => total + hour[figure], 0)
  return {
    accepted: sum('accepted'),
    stored: sum('stored'),
    deduplicated: sum('deduplicated'),
    deadLettered: sum('deadLettered'),
    erased: sum('erased'),
    erasedOfAnyKey: sum('erasedOfAnyKey'),
  }
}
