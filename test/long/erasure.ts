import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { errorMessage } from '../../runtime/errors.js'
import { packageRoot } from '../../runtime/package-root.js'
import { isAlive } from '../../runtime/process-info.js'
import { deployEmbedded } from '../support/deployment.js'
import { filesWith } from '../support/files-with.js'
import { withoutSvc } from '../support/program.js'
import { call, compiledRoot, countOf, until } from '../support/service.js'

/** Points of an erasure at which the process is killed, one after the other. */
const POINTS = [
  'erasure:wait',
  'erasure:links',
  'erasure:letters',
  'erasure:count-worked',
  'erasure:events-worked',
  'erasure:names-worked',
  'erasure:stored-links-worked',
  'erasure:files-worked',
  'erasure:forget-worked',
]
const OTHERS = 300

interface Erasure {
  readonly id: string
  readonly status: string
  readonly error: string | null
  readonly receipt: object | null
}

t.test(
  'an erasure that is killed in each of its steps ends, and leaves nothing',
  { timeout: 600_000 },
  async (t) => {
    const service = await deployEmbedded(t, {})
    const { serverKey, apiKey, sessionToken } = service.keys
    const dataDir = service.environment.SVC_DATA_DIR ?? ''
    const [user, phone, laptop] = [randomUUID(), randomUUID(), randomUUID()]
    const send = async (events: readonly object[]): Promise<void> => {
      const { status } = await call(serverKey, 'POST', `${service.ingest}/v1/events`, { events })
      t.equal(status, 202)
    }
    const mine = [
      { event: 'visited', anonymousId: phone, insertId: 'mine 1' },
      { event: 'bought', userId: user, anonymousId: phone, insertId: 'mine 2' },
      { event: 'bought', userId: user, anonymousId: laptop, insertId: 'mine 3' },
      {
        event: '$exposure',
        anonymousId: laptop,
        properties: { experiment: 'one', variant: 'b' },
        insertId: 'mine 4',
      },
      { event: 'only_once', userId: user },
    ]
    const others = Array.from({ length: OTHERS }, (_, i) => ({ event: 'visited', userId: `other ${i}` }))
    await send(others)
    for (const event of mine) await send([event])
    await service.settled()

    await service.restart({ SVC_FAULT_POINT: `${POINTS[0]}:1:kill-group` })
    const asked = await call<Erasure>(sessionToken, 'POST', `${service.api}/v1/erasures`, { userId: user })
    t.equal(asked.status, 202)
    const killed = () =>
      until(
        async () => !isAlive(service.pid ?? 0),
        (dead) => dead,
        60,
      )
    t.ok(await killed(), `killed at ${POINTS[0]}`)
    for (const point of POINTS.slice(1)) {
      // The job may go on, and be killed, before the start is over.
      const output = await service.crash({ SVC_FAULT_POINT: `${point}:1:kill-group` }).catch(errorMessage)
      if (output === undefined) t.ok(await killed(), `killed at ${point}`)
      else t.match(output, `fault point ${point}`)
    }
    await service.crash({})
    const done = await until(
      async () =>
        (await call<Erasure>(sessionToken, 'GET', `${service.api}/v1/erasures/${asked.body.id}`)).body,
      ({ status }) => status === 'done' || status === 'failed',
      120,
    )
    t.match(done, {
      status: 'done',
      error: null,
      receipt: { events: 4, exposures: 1, links: 2, deadLetters: 0 },
    })
    t.same(filesWith(dataDir, [user, phone, laptop]), [])
    t.equal(await countOf(service.api, apiKey, 'visited'), OTHERS)
    t.equal(await countOf(service.api, apiKey, 'bought'), 0)
    t.equal(await countOf(service.api, apiKey, 'only_once'), 0)

    const before = await service.settled()
    await send(mine.slice(0, 4))
    const after = await service.settled()
    t.same(after, { ...before, duplicates: before.duplicates + 4 }, 'sent again it stays erased')

    const main = join(packageRoot(), compiledRoot(), 'cli/main.js')
    const env = { ...withoutSvc(process.env), ...service.environment }
    const verified = await promisify(execFile)(process.execPath, [main, 'admin', 'verify', '--json'], { env })
    t.match(JSON.parse(verified.stdout), { difference: null }, 'all counts agree')
  },
)
