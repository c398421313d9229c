import t from 'tap'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { personOf } from '../../../clickhouse/test/support/person-of.js'
import { LINK_CHANNEL } from '../../../postgres/tables/identity-links.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { WORKSPACE } from '../../test/support/events.js'
import { wrapped } from '../../test/support/failing.js'
import { quiet } from '../../test/support/pipeline.js'
import { TestStores } from '../../test/support/stores.js'
import { startOutboxPump } from '../outbox-pump.js'

const stores = new TestStores()
t.teardown(() => stores.close())

t.test('links reach ClickHouse despite a crash or a failure in between', async (t) => {
  const { sql } = await stores.postgres()
  const clickhouse = await stores.clickhouse()
  let fail = 1
  const flaky: ClickHouse = wrapped(clickhouse, {
    async insertLinks(links) {
      if (fail-- > 0) throw new Error('not now')
      await clickhouse.insertLinks(links)
    },
  })
  let crash = 1
  const pump = startOutboxPump({
    sql,
    clickhouse: flaky,
    logger: quiet,
    faultPoint() {
      if (crash-- > 0) throw new Error('crash')
    },
    // Too long to wait for: the announcement has to do it.
    pollMs: 60_000,
    postgresMs: 5_000,
  })
  const add = (anonymous: string, user: string) => sql`
    insert into link_outbox (workspace_id, anonymous_key, user_key) values (${WORKSPACE}, ${anonymous}, ${user})`
  const canonical = (key: string) => personOf(clickhouse, WORKSPACE, BigInt(key))
  await add('-1', '5')
  pump.poke()
  await waitUntil(async () => (await canonical('18446744073709551615')) === '5')
  await waitUntil(async () => (await sql`select 1 from link_outbox`).length === 0)
  await waitUntil(async () => {
    await add('7', '-9223372036854775808')
    await sql.notify(LINK_CHANNEL, '')
    return (await canonical('7')) === '9223372036854775808'
  })
  await pump.stop()
  t.equal(await canonical('5'), '5', 'a user is its own canonical person')
})
