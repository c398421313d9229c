import t from 'tap'
import { v7 } from 'uuid'
import type { DeadLetter } from '../../../domain/dead-letter.js'
import { withDatabase } from '../../test/support/database.js'
import { findDeadLetter, listDeadLetters } from '../dead-letter-list.js'
import { deadPositions, findReplay, insertDeadLetters, requestReplay } from '../dead-letters.js'

const { sql } = await withDatabase(t)
const log = v7()
const workspaceId = v7()

async function write(letters: number): Promise<string[]> {
  await sql`delete from dead_letters`
  const ids = Array.from({ length: letters }, () => v7())
  for (const [offset, id] of ids.entries())
    await sql`
      insert into dead_letters (id, log_id, log_partition, log_offset, row_index, workspace_id, reason, events, payload, failed_at)
      values (${id}, ${log}, 0, ${offset}, ${offset === 0 ? -1 : 2}, ${offset === 0 ? null : workspaceId}, ${`reason ${offset} 50%_`},
        1, ${Buffer.from([offset])}, ${new Date(1_000_000 + offset)})`
  return ids
}

t.test('dead letters are listed in pages and found by id', async (t) => {
  const ids = await write(4)
  const list = async (filter: object, limit = 10, offset = 0) => {
    const { letters, total } = await listDeadLetters(sql, { state: 'open', ...filter }, { limit, offset })
    return [letters.map(({ id }) => ids.indexOf(id)), total]
  }
  t.strictSame(await list({}), [[3, 2, 1, 0], 4])
  t.strictSame(await list({}, 2, 1), [[2, 1], 4])
  t.strictSame(await list({ reason: 'REASON 2' }), [[2], 1])
  t.strictSame(await list({ reason: '50%_' }), [[3, 2, 1, 0], 4])
  t.strictSame(await list({ reason: '5_%' }), [[], 0], 'no pattern')
  t.strictSame(await list({ since: new Date(1_000_002) }), [[3, 2], 2])
  t.strictSame(await list({ workspaceId }), [[3, 2, 1], 3])
  t.match(await findDeadLetter(sql, ids[0] ?? ''), {
    log: { id: log, partition: 0, offset: 0, index: null },
    workspaceId: null,
    holdsLinks: null,
    payload: Buffer.from([0]),
  })
  t.match(await findDeadLetter(sql, ids[3] ?? ''), { log: { index: 2 }, attempts: 1, replayedAt: null })
  t.equal(await findDeadLetter(sql, v7()), undefined)
})

t.test('a replay claims the open letters, each for one replay, and notifies', async (t) => {
  const ids = await write(6)
  const [first = '', second = ''] = ids
  let heard = 0
  const subscription = await sql.listen('svc_dead_letter_replays', () => heard++)
  t.teardown(() => subscription.unlisten())

  const absent = v7()
  t.match(await requestReplay(sql, v7(), { ids: [first, absent] }), { replay: undefined, unknown: [absent] })
  t.equal((await sql`select from dead_letters where replay_id is not null`).length, 0, 'all or none')
  await sql`update dead_letters set replayed_at = now() where id = ${second}`
  const asked = await requestReplay(sql, v7(), { ids: [second, first, first] })
  t.match(asked, { replay: { state: 'requested', letters: 1 }, replayedBefore: [second], waiting: [] })
  t.match(await requestReplay(sql, v7(), { ids: [first] }), { replay: undefined, waiting: [first] })

  // Several replays of overlapping choices at the same time.
  const asking = await Promise.all([
    requestReplay(sql, v7(), { filter: {} }),
    requestReplay(sql, v7(), { filter: { workspaceId } }),
    requestReplay(sql, v7(), { ids: ids.slice(2) }),
    requestReplay(sql, v7(), { ids: ids.slice(2).reverse() }),
  ])
  t.equal(
    asking.reduce((sum, { replay }) => sum + (replay?.letters ?? 0), 0),
    4,
  )
  const [counted] =
    await sql`select count(*)::int as n, count(distinct replay_id)::int as replays from dead_letters where replay_id is not null`
  t.equal(counted?.n, 5)
  t.equal((await sql`select from dead_letter_replays`).length, counted?.replays, 'none without letters')
  t.match(await findReplay(sql, asked.replay?.id ?? ''), { letters: 1, replayed: 0, problem: null })
  t.equal(await findReplay(sql, v7()), undefined)
  t.ok(heard >= 2)
})

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
  await sql`delete from dead_letters`
  const insert = (letters: DeadLetter[]) => sql.begin((tx) => insertDeadLetters(tx, log, 2, letters, v7))
  // Engines quote rows in their messages.
  await insert([letter({ reason: `a\0b\ud800${'x'.repeat(5_000)}` }), letter({ rowIndex: 3, reason: 'row' })])
  await insert([letter({ reason: 'another' }), letter({ offset: 9 })])
  const rows = await sql<{ reason: string; attempts: number }[]>`
    select reason, attempts from dead_letters order by log_offset, row_index`
  t.equal(rows.length, 3)
  t.match(rows[0], { attempts: 1, reason: /^a\ufffdb\ufffdx+$/ })
  t.equal(rows[0]?.reason.length, 2_000)
  t.same([...(await deadPositions(sql, log, 2, 0, 9))].sort(), ['5:-1', '5:3'])
  t.same([...(await deadPositions(sql, log, 1, 0, 9))], [])
})
