import t from 'tap'
import { v7 } from 'uuid'
import { TestStores } from '../../test/support/stores.js'
import { type DeadLetter, deadLettersBetween, insertDeadLetters } from '../dead-letter.js'

const stores = new TestStores()
t.teardown(() => stores.close())

const letter = (fields: Partial<DeadLetter>): DeadLetter => ({
  offset: 5,
  rowIndex: -1,
  workspaceId: undefined,
  reason: 'r',
  events: 1,
  payload: new Uint8Array(3),
  ...fields,
})

t.test('a letter is written once, whatever its reason holds', async (t) => {
  const { sql } = await stores.postgres()
  const log = v7()
  const write = (letters: DeadLetter[]) => sql.begin((tx) => insertDeadLetters(tx, log, 2, letters, v7))
  // Engines quote rows in their messages.
  await write([letter({ reason: `a\0b\ud800${'x'.repeat(5_000)}` }), letter({ rowIndex: 3, reason: 'row' })])
  await write([letter({ reason: 'another' }), letter({ offset: 9 })])
  const rows = await sql<{ reason: string; attempts: number }[]>`
    select reason, attempts from dead_letters order by log_offset, row_index`
  t.equal(rows.length, 3)
  t.match(rows[0], { attempts: 1, reason: /^a\ufffdb\ufffdx+$/ })
  t.equal(rows[0]?.reason.length, 2_000)
  t.same([...(await deadLettersBetween(sql, log, 2, 0, 9))].sort(), ['5:-1', '5:3'])
  t.same([...(await deadLettersBetween(sql, log, 1, 0, 9))], [])
})
