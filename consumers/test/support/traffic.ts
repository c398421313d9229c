import type { Test } from 'tap'
import type { StoredRecord } from '../../../log/port.js'
import { event, request, WORKSPACE } from './events.js'
import {
  type Harness,
  keyHours,
  ledger,
  readAll,
  storedByHour,
  storedPlaces,
  vocabularies,
} from './pipeline.js'

/** The last millisecond of a month. */
export const JUNE_END = Date.UTC(2026, 5, 30, 23, 59, 59, 999)

export interface Traffic {
  readonly records: StoredRecord[]
  /** Places of the rows that must be stored, each once. */
  readonly expected: string[]
  readonly duplicates: number
  readonly workspaceId: string
}

let workspaces = 0

/** Requests over two months, with and without insertIds, sent twice in part, each with its own workspace. */
export async function traffic(h: Harness, requests = 6): Promise<Traffic> {
  const workspaceId = `${WORKSPACE.slice(0, -4)}${(0x1000 + workspaces++).toString(16)}`
  for (let i = 0; i < requests; i++) {
    const receivedAt = i % 2 === 0 ? JUNE_END : JUNE_END + 1
    const events = [
      event({ event: 'bare' }),
      event({ event: 'with_id', insertId: `id${i}` }),
      // The same id again in the request; and that of the request two before, which is of the same month.
      event({ event: 'again', insertId: `id${i}` }),
      event({ event: 'sent_twice', insertId: `id${i - 2}` }),
    ]
    await h.log.append(request(events, { receivedAt, workspaceId }))
  }
  const records = await readAll(h.log)
  const expected = records.flatMap(({ offset }, i) =>
    i < 2 ? [`${offset}:0`, `${offset}:1`, `${offset}:3`] : [`${offset}:0`, `${offset}:1`],
  )
  return { records, expected, duplicates: requests * 4 - expected.length, workspaceId }
}

/** Everything stored once, the vocabulary equal to the table, and the ledger equal to both. */
export async function checkExact(t: Test, h: Harness, sent: Traffic, what: string): Promise<void> {
  const places = await storedPlaces(h)
  t.same(
    [...places].filter(([, n]) => n !== 1),
    [],
    `${what}: nothing twice`,
  )
  t.same([...places.keys()].sort(), [...sent.expected].sort(), `${what}: everything once`)
  const { table, vocabulary } = await vocabularies(h, sent.workspaceId)
  t.same(vocabulary, table, `${what}: the vocabulary counts the same`)
  const { open, stored, duplicates, dead, done } = await ledger(h)
  t.same(
    { open, stored, duplicates, dead, done },
    {
      open: false,
      stored: sent.expected.length,
      duplicates: sent.duplicates,
      dead: 0,
      done: (sent.records.at(-1)?.offset ?? -1) + 1,
    },
    `${what}: the ledger adds up`,
  )
  const hours = await keyHours(h, sent.workspaceId)
  const sum = (figure: 'accepted' | 'deduplicated') => hours.reduce((total, hour) => total + hour[figure], 0)
  t.same(
    { accepted: sum('accepted'), deduplicated: sum('deduplicated') },
    { accepted: sent.expected.length + sent.duplicates, deduplicated: sent.duplicates },
    `${what}: the ledger of the key adds up`,
  )
  t.same(
    hours.map(({ at, stored }) => [at.getTime(), stored]),
    await storedByHour(h, sent.workspaceId),
    `${what}: the ledger of the key has what is stored, hour by hour`,
  )
}

export function copy({ offset, payload }: StoredRecord): StoredRecord {
  return { offset, payload: payload.slice() }
}
