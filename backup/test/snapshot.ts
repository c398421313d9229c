import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { v7 } from 'uuid'
import { lockPartitions } from '../../consumers/partitions/checkpoint.js'
import { openEmbeddedLog } from '../../log/embedded/log.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { advanceErasure, insertErasure, waitForSnapshot } from '../../postgres/tables/erasures.js'
import { beginRemovalBefore } from '../../postgres/tables/retention.js'
import { withDatabase } from '../../postgres/test/support/database.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { withSnapshot } from '../snapshot.js'

const { sql } = await withDatabase(t)
const workspaceId = v7()
await sql`insert into workspaces (id, name, created_at) values (${workspaceId}, 'w', now())`
const erasure = {
  id: v7(),
  workspaceId,
  userId: 'u',
  anonymousIds: [],
  personKeys: [],
  requestedAt: new Date(),
}
await sql.begin((tx) => insertErasure(tx, erasure))

async function dataDirOf(t: Test): Promise<string> {
  const dataDir = t.testdir()
  mkdirSync(join(dataDir, 'clickhouse'))
  const log = await openEmbeddedLog({ path: join(dataDir, 'log'), partitions: 1, identityPartitions: 1 })
  t.teardown(() => log.close())
  return dataDir
}

/** Whether a transaction takes its locks at once. */
const succeeds = (work: (tx: Transaction) => Promise<unknown>): Promise<boolean> =>
  sql
    .begin(async (tx) => {
      await tx`set local lock_timeout = 300`
      await work(tx)
    })
    .then(
      () => true,
      (error) => {
        if (error.code !== '55P03') throw error
        return false
      },
    )

/** Takes a snapshot that has to wait for a transaction, and does `meanwhile` until it waits. */
async function whileItWaits(
  t: Test,
  hold: (tx: Transaction) => Promise<unknown>,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const dataDir = await dataDirOf(t)
  let taken: Promise<unknown> | undefined
  await sql.begin(async (tx) => {
    await hold(tx)
    taken = withSnapshot({ sql, dataDir }, () => Promise.resolve())
    await waitUntil(async () => (await sql`select from pg_locks where not granted`).length > 0)
    await meanwhile()
  })
  await taken
}

t.test('no removal of rows is counted between the moments of the stores', async (t) => {
  const removal = { until: new Date(), received: new Date(), removedNames: null }
  const count = (tx: Transaction) => advanceErasure(tx, { id: erasure.id, step: 'count' }, 'events')
  const expire = (tx: Transaction) => beginRemovalBefore(tx, workspaceId, removal)
  // It has locked what comes before the partitions.
  await whileItWaits(t, lockPartitions, async () => {
    t.notOk(await succeeds(count))
    t.notOk(await succeeds(expire))
  })
  t.ok(await succeeds(count))
  t.ok(await succeeds(expire))
})

t.test('consumers go on while the snapshot waits for an erasure', async (t) => {
  await whileItWaits(t, waitForSnapshot, async () => {
    t.ok(await succeeds(lockPartitions))
  })
})
