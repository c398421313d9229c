import { EventEmitter, once } from 'node:events'
import t from 'tap'
import { openEmbeddedClickHouse } from '../../clickhouse/embedded/open.js'
import { findExperiment } from '../../management/experiments/index.js'
import { classifyError } from '../../management/jobs/failure.js'
import { openTestQueue } from '../../management/jobs/test/support/queue.js'
import { refreshResults } from '../../management/results/current-results.js'
import { refreshDue } from '../../management/results/refresh.js'
import type { Services } from '../../management/services.js'
import { outcomeJob, sendOutcomeJob } from '../../management/workflows/outcome.js'
import { newId } from '../../postgres/tables/workspaces.js'
import { createLogger } from '../../runtime/logger.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { withApi } from './support/api.js'
import { storeEvents } from './support/events.js'
import { type ExperimentView, putExperiment } from './support/experiments.js'

t.setTimeout(0)
const api = await withApi(t)
const { client, sql } = api
const workspace = await api.workspace()
const { key } = workspace

interface Learned {
  readonly exposed: number
  readonly hash: string
}

const statusOf = async (id: string) =>
  (await client.request<ExperimentView>('GET', `/experiments/${id}/status`, { key })).body.status
const learned = async (id: string) =>
  sql<Learned[]>`
    select (evidence->'results'->>'exposed')::integer as exposed, evidence_hash as hash from learnings
    where experiment_id = ${id}`

/** Decided and due. */
async function due(): Promise<{ id: string; name: string }> {
  const id = await putExperiment(api, workspace, 'settling')
  await sql`
    update experiments set decision_outcome = 'reject', started_at = now() - interval '2 days', ended_at = now() - interval '1 day',
      settles_at = now() - interval '1 second' where id = ${id}`
  const { body } = await client.request<ExperimentView>('GET', `/experiments/${id}`, { key })
  return { id, name: body.key }
}

const exposure = (experiment: string, userId: string) => ({
  event: '$exposure',
  userId,
  properties: { experiment, variant: 'control' },
  timestamp: Date.now() - 36 * 3_600_000,
})

const send = (queue: { jobs: Parameters<typeof sendOutcomeJob>[1] }, id: string) =>
  sql.begin((tx) => sendOutcomeJob(tx, queue.jobs, workspace.id, id, 0))

async function untilSettled(id: string): Promise<string> {
  await waitUntil(async () => (await statusOf(id)) !== 'settling')
  return statusOf(id)
}

t.test('a decision keeps settling while ClickHouse is down, and is written up afterwards', async (t) => {
  const { id, name } = await due()
  await storeEvents(api, workspace.id, Date.now() - 1_000, [exposure(name, 'ada')])
  const away = await openEmbeddedClickHouse({ path: api.clickhousePath })
  await away.close()
  const queue = await openTestQueue(t, sql, [outcomeJob])
  // Called here, because the API would run the job with its own ClickHouse.
  const failure = await outcomeJob
    .effect?.({
      services: { ...servicesOf(), clickhouse: away, jobs: queue.jobs },
      payload: { workspaceId: workspace.id, experimentId: id },
      signal: new AbortController().signal,
      attempt: 1,
    })
    .catch((error: unknown) => error)
  t.equal(classifyError(failure).kind, 'wait', 'retried without a time limit')
  t.equal(await statusOf(id), 'settling')
  t.equal((await learned(id)).length, 0, 'nothing is written up without figures')

  await send(queue, id)
  t.equal(await untilSettled(id), 'rejected')
  t.match(await learned(id), [{ exposed: 1 }])
})

t.test('a process that was frozen between measuring and writing writes nothing twice', async (t) => {
  const { id, name } = await due()
  await storeEvents(api, workspace.id, Date.now() - 1_000, [exposure(name, 'bo')])
  const queue = await openTestQueue(t, sql, [outcomeJob])
  const work = {
    services: { ...servicesOf(), jobs: queue.jobs },
    payload: { workspaceId: workspace.id, experimentId: id },
    signal: new AbortController().signal,
    attempt: 1,
  }
  const came = await outcomeJob.effect?.(work)
  // Silent until the job passes to another process, which counts one more.
  await storeEvents(api, workspace.id, Date.now() - 500, [exposure(name, 'cy')])
  await send(queue, id)
  queue.work({ clickhouse: api.clickhouse })
  t.equal(await untilSettled(id), 'rejected')
  const before = await learned(id)
  t.match(before, [{ exposed: 2 }])
  await sql.begin((tx) => outcomeJob.conclude(tx, work, came))
  t.strictSame(await learned(id), before, 'one learning, as it was')
  const { body } = await client.request<{ results: { exposed: number } }>('GET', `/experiments/${id}`, {
    key,
  })
  t.equal(body.results.exposed, 2, 'and the experiment shows what it holds')
})

t.test('a workspace with few experiments does not wait for one with many', async (t) => {
  const [many, few] = [await api.workspace('Many'), await api.workspace('Few')]
  const put = async (owner: typeof many, count: number) => {
    const ids: string[] = []
    for (let n = 0; n < count; n++) ids.push(await putExperiment(api, owner, 'running'))
    return ids
  }
  const [theirs, ours] = [await put(many, 12), await put(few, 2)]
  await sql`update experiments set started_at = now() - interval '1 hour' where id = any(${[...theirs, ...ours]})`
  let now = Date.now()
  const services = { ...servicesOf(), now: () => ++now }
  await refreshDue(services, new AbortController().signal)
  const measured = await sql<{ id: string; workspace: string }[]>`
    select experiment_id as id, workspace_id as workspace from experiment_measurements
    where experiment_id = any(${[...theirs, ...ours]}) order by measured_at`
  t.equal(measured.length, theirs.length + ours.length, 'all of them, each once')
  const places = measured.flatMap((row, place) => (row.workspace === few.id ? [place] : []))
  t.ok(
    places.every((place) => place < 4),
    `measured at places ${places}`,
  )
  const before = now
  await refreshDue(services, new AbortController().signal)
  t.equal(now, before, 'and none again within the minute')
  await sql`update experiment_refreshes set claimed_at = now() - interval '2 minutes'`
  await Promise.all([1, 2].map(() => refreshDue(services, new AbortController().signal)))
  t.equal(now, before + theirs.length + ours.length, 'by two processes too each is measured once')
})

t.test('slow results of a workspace leave a permit to the others', async (t) => {
  const [slow, quick] = [await api.workspace('Slow'), await api.workspace('Quick')]
  const rowOf = async (owner: typeof slow) => {
    const id = await putExperiment(api, owner, 'running')
    await sql`update experiments set started_at = now() - interval '1 hour' where id = ${id}`
    return { workspaceId: owner.id, row: await findExperiment(sql, owner.id, id) }
  }
  const gate = new EventEmitter()
  const opened = once(gate, 'open')
  let waiting = 0
  const clickhouse = new Proxy(api.clickhouse, {
    get(target, name) {
      if (name !== 'query') {
        const member: unknown = Reflect.get(target, name)
        return typeof member === 'function' ? member.bind(target) : member
      }
      return async (...query: Parameters<typeof target.query>) => {
        if (JSON.stringify(query[1]).includes(slow.id)) {
          waiting++
          await opened
        }
        return target.query(...query)
      }
    },
  })
  const services = { ...servicesOf(), clickhouse }
  const refresh = ({ workspaceId, row }: Awaited<ReturnType<typeof rowOf>>) =>
    refreshResults(services, workspaceId, row)
  const theirs = await Promise.all(Array.from({ length: 6 }, () => rowOf(slow)))
  const flood = Promise.all(theirs.map(refresh))
  await waitUntil(() => waiting >= 2)
  t.match(await refresh(await rowOf(quick)), { results: { exposed: 0 } })
  t.equal(waiting, 2, 'the slow workspace measures two experiments, the others of it wait')
  gate.emit('open')
  t.equal((await flood).length, theirs.length, 'all are measured in the end')
})

t.test('paused and ended experiments are measured once more without a request', async (t) => {
  const HOUR = 3_600_000
  let now = 0
  const services = { ...servicesOf(), now: () => now }
  const ids = [await putExperiment(api, workspace, 'paused'), await putExperiment(api, workspace, 'ended')]
  const stopAt = (at: number) => sql`
    update experiments set started_at = ${new Date(at - HOUR)}, updated_at = ${new Date(at)},
      ended_at = case when status = 'ended' then ${new Date(at)}::timestamptz end
    where id = any(${ids})`
  const measureAt = async (at: number) => {
    now = at
    await sql`update experiment_refreshes set claimed_at = now() - interval '2 minutes'`
    await refreshDue(services, new AbortController().signal)
    const rows = await sql<{ at: Date }[]>`
      select m.measured_at as at from unnest(${ids}::uuid[]) with ordinality as asked (id, place)
      join experiment_measurements m on m.experiment_id = id order by place`
    return rows.map((row) => row.at.getTime())
  }
  const stopped = Date.now() - 23 * HOUR
  await stopAt(stopped)
  t.strictSame(await measureAt(stopped - 1), [stopped - 1, stopped - 1])
  t.strictSame(
    await measureAt(stopped),
    [stopped, stopped],
    'what was measured before it stopped is not enough',
  )
  t.strictSame(await measureAt(stopped + 1), [stopped, stopped], 'late conversions may still come')

  const until = Date.now() - HOUR
  await stopAt(until - 24 * HOUR)
  t.strictSame(await measureAt(until - 1), [stopped, until - 1], 'of the ended one nothing counts any more')
  t.strictSame(await measureAt(until), [stopped, until])
  t.strictSame(await measureAt(until + 1), [stopped, until], 'all that counts was there')

  type Listed = { data: { id: string; measurements: unknown }[] }
  const { body } = await client.request<Listed>('GET', '/experiments?status=paused,ended', { key })
  for (const id of ids) t.match(body.data.find((one) => one.id === id)?.measurements, { usersExposed: 0 })
})

function servicesOf(): Services {
  return {
    embeddedPostgres: false,
    faultPoint: undefined,
    sql,
    clickhouse: api.clickhouse,
    log: undefined,
    logger: createLogger('silent', 'freeze test'),
    secretKey: api.secretKey,
    ingestUrl: () => undefined,
    settlingHours: 24,
    resultsMaxAgeSeconds: 5,
    now: Date.now,
    newId,
    generator: { kind: 'rules' },
    // None of these is used here.
    liveEvents: {} as Services['liveEvents'],
    jobs: {} as Services['jobs'],
    hooks: {} as Services['hooks'],
    exports: undefined,
    consoleUrl: () => undefined,
    repositories: {} as Services['repositories'],
  }
}
