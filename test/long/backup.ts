import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { MAIN, svc } from '../../cli/test/support/run.js'
import {
  call,
  countOf,
  type RunningService,
  startService,
  temporaryDataDir,
  until,
} from '../support/service.js'

/*
 * Backups at full load: no event acknowledged before is missing, none is refused meanwhile, and events sent
 * again after the restore are stored once.
 */

const BATCH = 400
/**
 * Pause between two batches of a connection, so that a fast machine has no more to send again than a slow
 * one.
 */
const PAUSE_MS = 20
const CONNECTIONS = 3
const NAME = 'backed_up'

interface Backup {
  readonly files: number
  readonly events: { readonly acknowledged: number; readonly stored: number; readonly waiting: number }
}

/** Sends batches on some connections until it is stopped. Every answer must be a 202. */
function stream(service: RunningService, refused: (status: number) => void) {
  let next = 0
  let acknowledged = 0
  let stopped = false
  async function send(): Promise<void> {
    while (!stopped) {
      const { status } = await sendBatch(service, next++)
      if (status === 202) acknowledged += BATCH
      else refused(status)
      await sleep(PAUSE_MS)
    }
  }
  const running = Promise.all(Array.from({ length: CONNECTIONS }, send))
  return {
    acknowledged: () => acknowledged,
    async stop(): Promise<number> {
      stopped = true
      await running
      return next
    },
  }
}

function sendBatch(service: RunningService, batch: number) {
  const events = Array.from({ length: BATCH }, (_, i) => ({
    event: NAME,
    userId: `user-${(batch + i) % 1_000}`,
    ...(i % 10 === 0 ? { anonymousId: `visitor-${batch}-${i}` } : {}),
    insertId: `${batch}-${i}`,
  }))
  return call(service.keys.serverKey, 'POST', `${service.ingest}/v1/events`, { events })
}

async function admin<Body>(dataDir: string, ...args: string[]): Promise<Body> {
  const { code, out, err } = await svc(['admin', ...args, '--json'], { SVC_DATA_DIR: dataDir }, 300_000)
  if (code !== 0) throw new Error(`${args.join(' ')}: ${err}`)
  return JSON.parse(out) as Body
}

/** Runs a command and kills it, like a power cut, once it has printed `said`. */
async function killWhen(said: string, dataDir: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [MAIN, 'admin', ...args], { env: { SVC_DATA_DIR: dataDir } })
  const exited = once(child, 'exit')
  let output = ''
  child.stderr.on('data', (text) => {
    output += text
    if (output.includes(said)) child.kill('SIGKILL')
  })
  const [, signal] = (await exited) as [number | null, string | null]
  if (signal !== 'SIGKILL') throw new Error(`${args.join(' ')} ended before it said ${said}: ${output}`)
}

async function refuses(t: Test, dataDir: string, backup: string, message: RegExp): Promise<void> {
  const { code, err } = await svc(['admin', 'restore', backup], { SVC_DATA_DIR: dataDir })
  t.equal(code, 1)
  t.match(err, message)
  t.same(readdirSync(dataDir), [], 'nothing was restored')
}

/** A flipped byte and a truncated, a missing and a foreign file, in each store. */
async function refusesDamage(t: Test, backup: string): Promise<void> {
  const target = folder(t)
  const { files } = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')) as {
    files: { path: string; bytes: number }[]
  }
  const largest = (part: string): string => {
    const [file] = files.filter(({ path }) => path.startsWith(part)).sort((a, b) => b.bytes - a.bytes)
    return join(backup, file?.path ?? '')
  }
  const damages: readonly (readonly [string, (path: string, contents: Buffer) => void, RegExp])[] = [
    [largest('log'), flip, /data.mdb is damaged/],
    [largest('postgres'), (path, { length }) => truncateSync(path, length - 1), /copy is damaged/],
    [largest('clickhouse'), flip, /is damaged/],
    [largest('clickhouse'), (path) => rmSync(path), /is missing/],
    [join(backup, 'manifest.json'), flip, /manifest.json differs from its checksum/],
  ]
  for (const [path, damage, message] of damages) {
    const contents = readFileSync(path)
    damage(path, contents)
    await refuses(t, target, backup, message)
    writeFileSync(path, contents)
  }
}

function flip(path: string, contents: Buffer): void {
  const changed = Buffer.from(contents)
  const at = Math.floor(changed.length / 2)
  changed[at] = (changed[at] ?? 0) ^ 1
  writeFileSync(path, changed)
}

const stored = ({ api, keys }: RunningService): Promise<number> => countOf(api, keys.apiKey, NAME)

function folder(t: Test): string {
  const { path, remove } = temporaryDataDir()
  t.teardown(remove)
  return path
}

t.test(
  'a backup at full load has everything acknowledged before it, and repeated events are stored once',
  async (t) => {
    const first = await startService(folder(t))
    const second = folder(t)
    const backups = folder(t)
    const refused: number[] = []
    const sender = stream(first, (status) => refused.push(status))
    await until(
      async () => sender.acknowledged(),
      (count) => count >= 40 * BATCH,
    )

    const target = join(backups, 'whole')
    await killWhen('copying ClickHouse', first.dataDir, 'backup', target)
    t.same(readdirSync(backups), ['whole.unfinished'])
    await refuses(t, folder(t), `${target}.unfinished`, /is not a complete backup/)
    const before = sender.acknowledged()
    const backup = await admin<Backup>(first.dataDir, 'backup', target)
    t.ok(backup.events.acknowledged >= before, `${backup.events.acknowledged} of ${before}`)
    t.match(await admin(first.dataDir, 'verify'), { ok: true, difference: null }, 'while events stream in')
    const batches = await sender.stop()
    t.same(refused, [], 'nothing was refused meanwhile')
    t.equal(await first.stop(), 0)
    t.same(readdirSync(backups), ['whole'])
    t.same(readdirSync(join(first.dataDir, 'snapshots')), [], 'nothing is left of the killed backup')

    await refusesDamage(t, target)
    await killWhen('loading Postgres', second, 'restore', target)
    const unfinished = await svc(['admin', 'workspace', 'list'], { SVC_DATA_DIR: second })
    t.match(unfinished, { code: 1, err: /a restore into .* was not completed/ })
    t.same(await admin<Backup>(second, 'restore', target), { ...backup, path: target })
    t.match(await admin(second, 'verify'), { ok: true, events: backup.events }, 'before the first start')
    const restored = await startService(second)
    t.same(restored.keys, first.keys)
    const { acknowledged } = backup.events
    t.equal(
      await until(
        () => stored(restored),
        (count) => count >= acknowledged,
      ),
      acknowledged,
    )
    const resend = async (connection: number): Promise<void> => {
      for (let batch = connection; batch < batches; batch += CONNECTIONS)
        if ((await sendBatch(restored, batch)).status !== 202) throw new Error(`batch ${batch} was refused`)
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => resend(connection)))
    const all = batches * BATCH
    t.equal(
      await until(
        () => stored(restored),
        (count) => count >= all,
      ),
      all,
    )
    t.match(
      await until(
        () => admin<{ events: { waiting: number } }>(second, 'verify'),
        ({ events }) => events.waiting === 0,
      ),
      {
        ok: true,
        events: { acknowledged: acknowledged + all, stored: all, duplicates: acknowledged, deadLetters: 0 },
      },
    )
    t.equal(await stored(restored), all, 'nothing was stored twice')
    t.equal(await restored.stop(), 0)
  },
)
