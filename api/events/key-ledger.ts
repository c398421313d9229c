import { type Static, Type } from '@sinclair/typebox'
import { HOUR_MS } from '../../domain/hour.js'
import { readLedgerOfKey } from '../../management/keys/index.js'
import { readTime } from '../http/read-time.js'
import { assertValid, defineRoute, json, type Rule } from '../http/route.js'
import { closed, named, nullable, time, uuid } from '../http/schemas.js'

const DAY_MS = 24 * HOUR_MS
const MAX_DAYS = 92
const EARLIEST_MS = Date.UTC(1970, 0)
const LATEST_MS = Date.UTC(2200, 0)

const figure = (description: string) => Type.Integer({ description })

const counts = {
  accepted: figure('Events that were answered with 202, and counted since'),
  stored: figure('Of these, events that are stored'),
  deduplicated: figure('Of these, events whose insertId was stored, or erased, before in that month'),
  deadLettered: figure('Of these, events that could not be stored and are kept as dead letters'),
  erased: figure('Of these, events that were erased, or removed by retention, after they were counted'),
  erasedOfAnyKey: figure(
    'Stored events that were erased since and were sent by this key or by another of the same hour; they count as stored',
  ),
}

const KeyLedgerSchema = named(
  'KeyLedger',
  closed({
    key: closed({ id: uuid('The key'), name: Type.String(), last4: Type.String() }),
    from: time('Start of the first hour'),
    to: time('End of the last hour'),
    since: nullable(time('Hours before are not known as a whole and left out'), {
      description: 'Null if the ledger is as old as the service',
    }),
    settledUntil: nullable(time('Every event received before is counted'), {
      description: 'Null if no event log is in use',
    }),
    waiting: nullable(Type.Integer({ minimum: 0, description: 'Events of all keys not counted yet' }), {
      description: 'Null if the event log does not count its events, as Kafka',
    }),
    total: closed(counts),
    hours: Type.Array(
      named(
        'KeyLedgerHour',
        closed({
          at: time('Start of the UTC hour in which the events were received'),
          ...counts,
          settled: Type.Boolean({ description: 'False while counts of the hour may grow' }),
        }),
      ),
      { description: 'The hours in which the key sent events, oldest first' },
    ),
  }),
)

const ledgerQuery = closed({
  key: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '\\S',
    description: 'The key: its id, its name, or its last four characters',
    examples: ['0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e'],
  }),
  from: Type.Optional(time('Received in this UTC hour or later. Default: 24 hours before `to`')),
  to: Type.Optional(time('Received before the end of this UTC hour. Default: now')),
})

type Times = Pick<Static<typeof ledgerQuery>, 'from' | 'to'>

const timesOf = (query: Times, now: number) => {
  const to = readTime(query.to) ?? new Date(now)
  return { to, from: readTime(query.from) ?? new Date(to.getTime() - DAY_MS) }
}

const timeRule: Rule<Times> = {
  of: ['from', 'to'],
  problems(query, now) {
    const { from, to } = timesOf(query, now)
    const [first, last] = [from.getTime(), to.getTime()]
    if (first < EARLIEST_MS || last > LATEST_MS)
      return [{ path: 'query.from', message: 'and to must lie between the years 1970 and 2200' }]
    if (last <= first)
      return [{ path: query.to === undefined ? 'query.from' : 'query.to', message: 'must be after from' }]
    return last - first > MAX_DAYS * DAY_MS
      ? [{ path: 'query.from', message: `must be at most ${MAX_DAYS} days before to` }]
      : []
  },
}

const exampleCounts = {
  accepted: 1_200,
  stored: 1_180,
  deduplicated: 17,
  deadLettered: 0,
  erased: 3,
  erasedOfAnyKey: 0,
}

export const keyLedgerRoute = defineRoute('GET /events/ledger', 'getKeyLedger', {
  tag: 'Events',
  summary: 'Check what arrived, by key and hour',
  description:
    'What became of the events that a key sent, by the UTC hour of receipt: accepted = stored + deduplicated + deadLettered + erased.',
  query: ledgerQuery,
  errors: ['NOT_FOUND'],
  queryRules: [timeRule],
  responses: {
    200: json('The ledger', KeyLedgerSchema, {
      key: { id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e', name: 'Shop', last4: 'x7Qd' },
      from: '2026-11-21T09:00:00.000Z',
      to: '2026-11-21T11:00:00.000Z',
      since: null,
      settledUntil: '2026-11-21T10:59:58.120Z',
      waiting: 0,
      total: exampleCounts,
      hours: [{ at: '2026-11-21T09:00:00.000Z', ...exampleCounts, settled: true }],
    }),
  },
  async handler({ query, services, workspaceId }) {
    const now = services.now()
    assertValid([timeRule], query, now)
    const { key, ...ledger } = await readLedgerOfKey(services, workspaceId, query.key, timesOf(query, now))
    return {
      status: 200,
      body: { key: { id: key.id, name: key.name, last4: key.last4 }, ...ledger },
    }
  },
})
