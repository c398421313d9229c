import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { call, countOf, until } from '../../../test/support/service.js'
import { MAIN } from '../../test/support/run.js'
import { startWorkspace } from '../../test/support/workspace.js'

const DAY_MS = 86_400_000
const START = Date.UTC(2024, 0, 1)
const PERSONS = 700
const iso = (at: number): string => new Date(at).toISOString()

interface Exported {
  readonly event: string
  readonly userId: string | null
  readonly anonymousId: string | null
  readonly timestamp: string
  readonly timestampAdjustment: string
  readonly insertId: string | null
  readonly properties: Readonly<Record<string, unknown>>
}

/** Steps of a person, from which each tool's export is written. */
interface Step {
  readonly name: string
  readonly person: number
  readonly at: number
}

/** Each person looks; every second one signs up a day later; every sixth one pays, half of these too late. */
const STEPS: readonly Step[] = Array.from({ length: PERSONS }, (_, person): Step[] => {
  const at = START + person * 3_600_000 + 123
  return [
    { name: 'Product Viewed', person, at },
    ...(person % 2 === 0 ? [{ name: 'signed_up', person, at: at + DAY_MS }] : []),
    ...(person % 6 === 0 ? [{ name: 'paid', person, at: at + (person % 12 === 0 ? 2 : 20) * DAY_MS }] : []),
  ]
}).flat()

type Row = (step: Step, id: string) => object

const FORMATS: Readonly<Record<'svc' | 'segment' | 'posthog' | 'amplitude' | 'mixpanel', Row>> = {
  svc: ({ name, person, at }, insertId) => ({
    event: name.replace(' ', '_'),
    userId: `svc-${person}`,
    timestamp: iso(at),
    insertId,
    receivedAt: iso(at),
    personId: `user:svc-${person}`,
  }),
  segment: ({ name, person, at }, messageId) => ({
    type: 'track',
    event: name,
    userId: `segment-${person}`,
    messageId,
    timestamp: iso(at),
    originalTimestamp: iso(at + 5),
    properties: { plan: 'pro' },
  }),
  posthog: ({ name, person, at }, uuid) => ({
    uuid,
    event: name,
    distinct_id: `posthog-${person}`,
    properties: JSON.stringify({ plan: 'pro', $lib: 'web', $lib_version: '1.2.3' }),
    timestamp: iso(at).replace('T', ' ').replace('Z', '000+00:00'),
    person_id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
  }),
  amplitude: ({ name, person, at }, $insert_id) => ({
    event_type: name,
    user_id: `amplitude-${person}`,
    device_id: `device-${person}`,
    event_time: iso(at).replace('T', ' ').replace('Z', '000'),
    $insert_id,
    event_properties: { plan: 'pro' },
    user_properties: {},
    library: 'amplitude-js/5.2.2',
  }),
  mixpanel: ({ name, person, at }, $insert_id) => ({
    event: name,
    properties: {
      time: Math.floor(at / 1_000),
      distinct_id: person % 5 === 0 ? `mixpanel-${person}` : `$device:mixpanel-${person}`,
      $insert_id,
      plan: 'pro',
    },
  }),
}

t.setTimeout(0)

t.test('history of other tools is imported with its times, each event once', async (t) => {
  const workspace = await startWorkspace()
  t.teardown(() => workspace.stop())
  const { service, folder, environment } = workspace
  // Commands wait while another one has the database.
  await workspace.database.close()
  const admin = { SVC_DATA_DIR: service.dataDir }
  const sh = (line: string) => workspace.sh(line, admin)
  const stored = async (event: string, atLeast: number): Promise<number> =>
    until(
      () => countOf(service.api, service.keys.apiKey, event),
      (count) => count >= atLeast,
      30,
    )
  const exported = async (): Promise<Exported[]> => {
    t.match(await sh('svc events export all.ndjson'), { code: 0 })
    return readFileSync(join(folder, 'all.ndjson'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Exported)
  }

  let formats = 0
  for (const [format, row] of Object.entries(FORMATS)) {
    const ids = STEPS.map((_, index) => `${format}-${index}`)
    const lines = STEPS.map((step, index) => JSON.stringify(row(step, ids[index] ?? '')))
    // In any order, some of them twice, and some that are no events.
    const shuffled = [...lines.filter((_, i) => i % 2 === 1), ...lines.filter((_, i) => i % 2 === 0)]
    const text = [...shuffled, ...lines.slice(0, 100), '{oops', '[]', ''].join('\n')
    writeFileSync(join(folder, `${format}.ndjson.gz`), gzipSync(text))
    const command = `svc admin events import ${format}.ndjson.gz --format ${format}`
    const dry = await sh(`${command} --dry-run --json`)
    t.match(JSON.parse(dry.out), { accepted: lines.length + 100, withoutTime: 0, refused: [{}, {}] }, format)
    const sent = await sh(`${command} --json`)
    t.equal(sent.code, 1, 'two lines are refused')
    t.match(JSON.parse(sent.out), {
      accepted: lines.length + 100,
      notSent: 0,
      olderThanSevenDays: 0,
      refused: [{ message: 'is not JSON' }, { message: 'is not a JSON object' }],
    })
    formats++
    await stored('signed_up', (PERSONS / 2) * formats)
    const events = (await exported()).filter(({ insertId }) => insertId?.startsWith(`${format}-`))
    const byId = new Map(events.map((event) => [event.insertId, event]))
    t.equal(events.length, lines.length, `${format}: each once`)
    t.same(
      ids.map((id) => [byId.get(id)?.event, byId.get(id)?.timestamp, byId.get(id)?.timestampAdjustment]),
      STEPS.map(({ name, at }) => [
        name.replace(' ', '_'),
        iso(format === 'mixpanel' ? Math.floor(at / 1_000) * 1_000 : at),
        'imported',
      ]),
      format,
    )
    const sample = byId.get(ids[0] ?? '')
    if (format === 'amplitude') t.match(sample, { userId: 'amplitude-0', anonymousId: 'device-0' })
    if (format === 'mixpanel')
      t.match(byId.get(ids.at(-1) ?? ''), { userId: null, anonymousId: `mixpanel-${PERSONS - 1}` })
    if (format !== 'svc')
      t.match(sample?.properties, { plan: 'pro', $name: 'Product Viewed' }, 'the name as it was sent')
  }

  await t.test('funnels over history are those of its steps', async (t) => {
    const body = {
      from: iso(START),
      to: iso(START + 60 * DAY_MS),
      windowSeconds: 7 * 86_400,
      steps: [{ eventName: 'Product_Viewed' }, { eventName: 'signed_up' }, { eventName: 'paid' }],
    }
    const answer = await call(service.keys.apiKey, 'POST', `${service.api}/v1/funnel/query`, body)
    const steps = (answer.body as { readonly steps: readonly { readonly count: number }[] }).steps
    t.same(
      steps.map(({ count }) => count),
      [PERSONS, PERSONS / 2, Math.ceil(PERSONS / 12)].map((persons) => persons * formats),
    )
  })

  await t.test('a second import, whole or after a kill, stores nothing twice', async (t) => {
    const lines = Array.from({ length: 20_000 }, (_, index) =>
      JSON.stringify({ event: 'without_id', userId: `w${index}`, timestamp: iso(START + index) }),
    )
    writeFileSync(join(folder, 'many.ndjson'), lines.join('\n'))
    const args = ['admin', 'events', 'import', 'many.ndjson', '--format', 'svc', '--json']
    const options = { cwd: folder, env: { ...environment, ...admin } }
    const killed = spawn(process.execPath, [MAIN, ...args], options)
    await stored('without_id', 1)
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    t.match(await sh(`svc ${args.join(' ')}`), { code: 0 })
    t.match(await sh(`svc ${args.join(' ')}`), { code: 0 })
    await stored('without_id', lines.length)
    t.equal((await exported()).filter(({ event }) => event === 'without_id').length, lines.length)
  })

  await t.test('a folder is imported file by file, and continues after the last whole one', async (t) => {
    const event = (id: string): string =>
      JSON.stringify({ event: 'in_folder', userId: id, insertId: id, timestamp: iso(START) })
    mkdirSync(join(folder, 'months/2024'), { recursive: true })
    writeFileSync(join(folder, 'months/2024/01.json.gz'), gzipSync(`${event('a')}\n{oops\n${event('b')}\n`))
    writeFileSync(join(folder, 'months/2024/02.json.gz'), gzipSync(event('c')).subarray(0, 20))
    writeFileSync(join(folder, 'months/readme.txt'), 'no export')
    writeFileSync(join(folder, 'months/03.jsonl'), event('d'))
    const command = 'svc admin events import months --format svc'
    const fails = (line: string) => sh(line).catch((error: Error) => error)
    t.match(await fails(command), { code: 1, err: /01\.json\.gz \(2 of 3\)[\s\S]*02\.json\.gz is damaged/ })
    writeFileSync(join(folder, 'months/2024/02.json.gz'), gzipSync(event('c')))
    t.match(await sh(command), { code: 0, err: /2 files were imported before/ })
    t.match(await sh(`${command} --dry-run`), { out: /4 would be imported, 1 would be refused/ })
    await stored('in_folder', 4)
    writeFileSync(join(folder, 'export.zip'), 'PK\u0003\u0004')
    t.match(await fails('svc admin events import export.zip --format amplitude'), {
      code: 2,
      err: /export\.zip is a zip archive: unpack it/,
    })
    mkdirSync(join(folder, 'empty'))
    t.match(await fails('svc admin events import empty --format svc'), {
      code: 2,
      err: /no file in empty ends/,
    })
  })

  await t.test('times that are no history are clamped, and the key is gone', async (t) => {
    writeFileSync(
      join(folder, 'odd.ndjson'),
      [
        { event: 'odd', userId: 'early', timestamp: '1815-12-10T00:00:00Z' },
        { event: 'odd', userId: 'late', timestamp: iso(Date.now() + 30 * DAY_MS) },
        { event: 'odd', userId: 'none' },
      ]
        .map((event) => JSON.stringify(event))
        .join('\n'),
    )
    t.match(await sh('svc admin events import odd.ndjson --format svc'), { code: 0, out: /3 accepted/ })
    await stored('odd', 3)
    const odd = (await exported()).filter(({ event }) => event === 'odd')
    t.same(odd.map(({ userId, timestampAdjustment }) => [userId, timestampAdjustment]).sort(), [
      ['early', 'clamped_past'],
      ['late', 'clamped_future'],
      ['none', 'none'],
    ])
    t.equal(odd.find(({ userId }) => userId === 'early')?.timestamp, iso(0))
    const listed = JSON.parse((await sh('svc admin key list --json')).out) as {
      readonly data: readonly { readonly name: string; readonly revokedAt: string | null }[]
    }
    const made = listed.data.filter(({ name }) => name.startsWith('import '))
    t.ok(made.length >= 7)
    t.ok(
      made.filter(({ revokedAt }) => revokedAt === null).length <= 1,
      'but for the one of the killed command',
    )
    t.match(await sh('svc admin events import odd.ndjson --format mixpanel --dry-run'), {
      code: 0,
      out: /odd\.ndjson:1: the event has no properties/,
    })
    t.match(await sh('svc admin events import odd.ndjson --format heap').catch((error: Error) => error), {
      code: 2,
      err: /svc, segment, posthog, amplitude, mixpanel/,
    })
  })

  // A second workspace, so that each command has to name one: the last test.
  await t.test('an interrupted import continues only with its workspace and its format', async (t) => {
    const { id: other } = JSON.parse((await sh('svc admin workspace create --name other --json')).out) as {
      readonly id: string
    }
    const event = (id: string): string =>
      JSON.stringify({ event: 'targeted', userId: id, insertId: `targeted-${id}`, timestamp: iso(START) })
    mkdirSync(join(folder, 'targets'))
    writeFileSync(join(folder, 'targets/a.jsonl'), event('a'))
    writeFileSync(join(folder, 'targets/b.json.gz'), gzipSync(event('b')).subarray(0, 20))
    const load = (workspaceId: string, format: string) =>
      sh(`svc admin events import targets --format ${format} --workspace ${workspaceId}`).catch(
        (error: Error) => error,
      )
    const { workspaceId } = service.keys
    t.match(await load(other, 'amplitude'), { code: 1, out: /0 accepted, 1 refused/ })
    const first = await load(other, 'svc')
    t.match(first, { code: 1, err: /^[^\n]*a\.jsonl \(1 of 2\)/ }, 'nothing of it was imported')
    t.match(await load(other, 'svc'), { code: 1, err: /^1 file was imported before the interruption/ })
    t.match(await load(workspaceId, 'svc'), {
      code: 1,
      err: /^1 file was imported to another address or workspace[^\n]*\n[^\n]*a\.jsonl \(1 of 2\)/,
    })
    writeFileSync(join(folder, 'targets/b.json.gz'), gzipSync(event('b')))
    t.match(await load(workspaceId, 'svc'), { code: 0, err: /^1 file was imported before the interruption/ })
    t.equal(await stored('targeted', 2), 2)
  })
})
