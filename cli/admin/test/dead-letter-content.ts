import t from 'tap'
import { ROW } from '../../../domain/row.js'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import { encodeRecords } from '../../../log/record.js'
import { parseDeadLetter } from '../dead-letter-content.js'

const WORKSPACE = '0190c8f1-0000-7000-8000-000000000001'
const KEY = '0190c8f1-0000-7000-8000-0000000000aa'
const AT = Date.UTC(2026, 10, 21, 12)
const properties = JSON.stringify({ text: 'ä'.repeat(3_000), deep: { list: [1, null, '\0'] } })
const [events, links] = encodeRecords(
  {
    workspaceId: WORKSPACE,
    keyId: KEY,
    receivedAt: AT,
    sentAt: AT - 1,
    events: [
      {
        event: 'bought',
        userId: 'ada',
        anonymousId: 'ä'.repeat(100),
        properties,
        timestamp: AT - 5,
        insertId: 'i1',
        sdkVersion: 'node/1',
      },
      {
        event: '$x',
        userId: 'bo',
        anonymousId: undefined,
        properties: '{}',
        timestamp: undefined,
        insertId: undefined,
        sdkVersion: undefined,
      },
    ],
  },
  workspaceHashKeys(new Uint8Array(32), WORKSPACE),
  { partitions: 1, identityPartitions: 1 },
  () => false,
).records
const payload = events?.payload ?? new Uint8Array()
const record = { workspaceId: WORKSPACE, keyId: KEY, receivedAt: new Date(AT), sentAt: new Date(AT - 1) }

t.test('events of a dead letter are shown as they were sent', async (t) => {
  t.strictSame(parseDeadLetter(payload), {
    record,
    contents: [
      {
        index: 0,
        event: 'bought',
        userId: 'ada',
        anonymousId: 'ä'.repeat(100),
        properties: JSON.parse(properties) as unknown,
        timestamp: new Date(AT - 5),
        insertId: 'i1',
        sdkVersion: 'node/1',
      },
      {
        index: 1,
        event: '$x',
        userId: 'bo',
        anonymousId: null,
        properties: {},
        timestamp: null,
        insertId: null,
        sdkVersion: null,
      },
    ],
    links: [],
    unreadable: null,
  })
})

t.test('links of a dead letter are shown as pairs', async (t) => {
  const { contents, links: pairs, unreadable } = parseDeadLetter(links?.payload ?? new Uint8Array())
  t.strictSame(
    { contents, pairs, unreadable },
    { contents: [], pairs: [{ anonymousId: 'ä'.repeat(100), userId: 'ada' }], unreadable: null },
  )
})

t.test('damaged parts are named, and the rest is shown', async (t) => {
  const changed = (at: number, to: number) => Uint8Array.from(payload, (byte, i) => (i === at ? to : byte))
  t.match(parseDeadLetter(changed(0, 77)), { record: null, contents: [], unreadable: /format 77/ })
  t.match(parseDeadLetter(new Uint8Array(3)), { record: null, unreadable: /no header/ })
  t.match(parseDeadLetter(payload.subarray(0, 80)), { record, contents: [], unreadable: /rows? / })
  t.match(parseDeadLetter(changed(56 + ROW.fixedBytes, 255)), {
    record,
    contents: [null, { event: '$x' }],
    unreadable: '1 of 2 events are damaged',
  })
  // No damage to a byte makes the parser throw.
  for (let at = 0; at < 300; at++) t.doesNotThrow(() => parseDeadLetter(changed(at, 255)))
  t.end()
})
