import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { deployEmbedded } from '../support/deployment.js'
import { withoutSvc } from '../support/program.js'
import { call, compiledRoot, countOf, until } from '../support/service.js'

const DAY_MS = 86_400_000
const OTHERS = 300
/** Events that were received and counted as the others, and are made old. */
const AGED = 10
const RECORD = 'bitShiftRight(sipHash64(log_id, log_partition, log_offset), 6)'

t.test('older events are removed by retention, and counted', { timeout: 600_000 }, async (t) => {
  const service = await deployEmbedded(t)
  const { serverKey, apiKey, workspaceId } = service.keys
  const events = Array.from({ length: OTHERS + AGED }, (_, i) => ({ event: 'visited', userId: `user ${i}` }))
  t.equal((await call(serverKey, 'POST', `${service.ingest}/v1/events`, { events })).status, 202)
  await service.settled()
  const old = new Date(Date.now() - 100 * DAY_MS).toISOString().replace('T', ' ').replace('Z', '')
  await service.restartAfter(async ({ clickhouse }) => {
    await clickhouse.command(
      `INSERT INTO events (workspace_id, received_at, timestamp, event, user_id, person_key, log_id, log_offset)
     SELECT '${workspaceId}', '${old}', '${old}', 'visited', 'old user', 7, '${workspaceId}', number FROM numbers(50)`,
    )
    const settings = { mutations_sync: 1, allow_nondeterministic_mutations: 1 }
    const aged = `workspace_id = '${workspaceId}' AND user_id IN (${Array.from({ length: AGED }, (_, i) => `'user ${i}'`)})`
    const recent = `timestamp > '${old}'`
    await clickhouse.command(
      `INSERT INTO events SELECT * REPLACE (toDateTime64('${old}', 3, 'UTC') AS timestamp) FROM events WHERE ${aged}`,
    )
    await clickhouse.command(
      `ALTER TABLE event_order DELETE WHERE ${recent} AND (received_at, record, request_index) IN
       (SELECT received_at, ${RECORD}, request_index FROM events WHERE ${aged})`,
      { settings },
    )
    await clickhouse.command(`ALTER TABLE events DELETE WHERE ${aged} AND ${recent}`, { settings })
  })
  t.equal(await countOf(service.api, apiKey, 'visited'), OTHERS + 2 * AGED + 50, 'names count copies too')
  const admin = async (...args: string[]) => {
    const main = join(packageRoot(), compiledRoot(), 'cli/main.js')
    const env = { ...withoutSvc(process.env), ...service.environment }
    const { stdout } = await promisify(execFile)(process.execPath, [main, 'admin', ...args, '--json'], {
      env,
    })
    return JSON.parse(stdout)
  }
  t.match(await admin('retention', 'show'), { days: null, removedBefore: null })
  t.match(await admin('retention', 'set', '--days', '62'), { days: 62 })
  const left = await until(
    () => countOf(service.api, apiKey, 'visited'),
    (count) => count === OTHERS,
    120,
  )
  t.equal(left, OTHERS)
  const shown = await until(
    () => admin('retention', 'show'),
    ({ removedBefore }) => removedBefore !== null,
  )
  t.ok(Date.parse(shown.removedBefore) < Date.now() - 62 * DAY_MS)
  const { body } = await call<{ pagination: { total: number } }>(apiKey, 'GET', `${service.api}/v1/events`)
  t.equal(body.pagination.total, OTHERS, 'the listing counts the same')
  t.match(await admin('verify'), { difference: null }, 'all counts agree')
})
