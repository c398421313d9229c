import t from 'tap'
import { event, KEY, NOON, request, WORKSPACE } from '../../consumers/test/support/events.js'
import { deliver, eventsHandler, harness, readAll } from '../../consumers/test/support/pipeline.js'
import { TestStores } from '../../consumers/test/support/stores.js'
import { addErasedHours } from '../../postgres/tables/key-ledger.js'
import { verifyStores } from '../verify.js'

const stores = new TestStores()
t.teardown(() => stores.close())

t.test('rows are compared with the ledger by workspace and hour', async (t) => {
  const h = await harness(stores)
  const { sql } = h
  await sql`insert into workspaces (id, name, created_at) values (${WORKSPACE}, 'verified', now())`
  const later = NOON + 3_600_000
  for (const receivedAt of [NOON, NOON, later])
    await h.log.append(request([event(), event()], { receivedAt }))
  await deliver(() => eventsHandler(h), await readAll(h.log))
  const verify = () => verifyStores({ ...h, logIsCopy: false })
  const check = `events of workspace ${WORKSPACE} by the hours of the ledger`
  const whole = await verify()
  t.match(whole, { difference: null })
  t.same(
    whole.checks.find((each) => each.check === check),
    { check, expected: 6, found: 6, ok: true },
  )

  const wrong = `events received in the hour from 2026-11-21T13:00:00.000Z in workspace ${WORKSPACE}, by the ledger`
  const shift = (by: number) =>
    sql`update key_ledger set stored = stored + ${by} where key_id = ${KEY} and hour = ${new Date(later)}`
  for (const [by, counted] of [
    [1, 3],
    [-2, 1],
  ] as const) {
    await shift(by)
    t.equal((await verify()).difference, `${wrong}: 2 found, ${counted} expected`)
  }
  await shift(1)
  t.match(await verify(), { difference: null })

  await sql.begin((tx) => addErasedHours(tx, WORKSPACE, [{ hour: NOON, events: 1 }]))
  t.match(await verify(), { difference: /from 2026-11-21T12:00:00.000Z .*: 4 found, 3 expected/ }, 'erased')
  await sql`delete from key_ledger where hour = ${new Date(NOON)}`
  t.match(await verify(), { difference: /from 2026-11-21T12:00:00.000Z .*: 4 found, 0 expected/ }, 'lost')
  await sql`insert into retention (workspace_id, days, done_until) values (${WORKSPACE}, 62, '2026-11-22')`
  t.match(await verify(), { difference: null }, 'retention has removed the hours of the day')

  await sql`delete from retention`
  await sql`update log_partitions set ledger_offset = ledger_offset - 1 where log_partition = 0`
  t.match(await verify(), { difference: null }, 'an older version stores events without the ledger')
})
