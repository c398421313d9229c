/**
 * `npm run chaos -- --seed S --rounds N [--system all-in-one|cluster] [--ledger FILE] [--data DIR] [--only FAULT,FAULT] [--count-every N] [--gateways N] [--consumers N]`:
 * disturbs the running service and counts every event. docs/contribute/chaos.md says how to read what it prints.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packageRoot } from '../../runtime/package-root.js'
import { type ClientRole, LARGE_ROLES, ROLES } from './clients/clients.js'
import { CLUSTER_FAULTS } from './faults/cluster-faults.js'
import { FAULTS, type Fault, faultsNamed } from './faults/faults.js'
import { Ledger, type Sums } from './ledger.js'
import { runChaos } from './run.js'
import { AllInOne } from './systems/all-in-one.js'
import { ClusterSystem } from './systems/cluster-system.js'
import type { System } from './systems/system.js'
import { type Count, FAULTY, isSound } from './verify/verify.js'

const { values } = parseArgs({
  options: {
    system: { type: 'string', default: 'all-in-one' },
    seed: { type: 'string' },
    rounds: { type: 'string' },
    ledger: { type: 'string', default: join(packageRoot(), '.chaos', 'ledger.json') },
    data: { type: 'string', default: tmpdir() },
    only: { type: 'string' },
    'count-every': { type: 'string', default: '8' },
    gateways: { type: 'string' },
    consumers: { type: 'string' },
  },
})

function whole(
  name: 'seed' | 'rounds' | 'count-every' | 'gateways' | 'consumers',
  fallback?: number,
): number {
  const value = values[name] ?? String(fallback ?? '')
  if (/^\d{1,9}$/.test(value)) return Number(value)
  process.stderr.write(`--${name} must be a whole number, not ${JSON.stringify(value)}\n`)
  process.exit(2)
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const figures = (count: Count): string =>
  `acknowledged ${count.acknowledged}, stored ${count.stored}, ${FAULTY.map((kind) => `${kind} ${count[kind]}`).join(', ')}`

function saySums({ seeds, rounds, faults, uncounted, count }: Sums): void {
  const times = Object.values(faults).reduce((sum, n) => sum + n, 0)
  say(`\n${times} faults that count in ${rounds} rounds of ${seeds} seeds, ${uncounted} that do not`)
  for (const [name, n] of Object.entries(faults).sort()) say(`  ${String(n).padStart(5)}  ${name}`)
  say(`${figures(count)}`)
}

const seed = whole('seed')
const rounds = whole('rounds')
const ledger = new Ledger(resolve(values.ledger))
const dataDir = resolve(values.data)
mkdirSync(dataDir, { recursive: true })
let system: System | undefined
let folder: string | undefined
const removeData = (): void => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    say(`${name}: rounds since the last count are not in the ledger`)
    void (system?.close() ?? Promise.resolve()).finally(() => {
      removeData()
      process.exit(130)
    })
  })

/** Whether every count is clean. */
async function run<S extends System>(
  known: readonly Fault<S>[],
  { roles, strikeLimitMs }: { readonly roles: readonly ClientRole[]; readonly strikeLimitMs: number },
  makeSystem: () => S,
): Promise<boolean> {
  const from = ledger.reached(values.system, seed)
  if (from >= rounds) {
    say(`seed ${seed} has reached round ${from} already`)
    return true
  }
  say(`${values.system}, seed ${seed}, rounds ${from} to ${rounds}`)
  try {
    const verdict = await runChaos({
      seed,
      from,
      to: rounds,
      faults: values.only === undefined ? known : faultsNamed(values.only.split(','), known),
      roles,
      strikeLimitMs,
      countEvery: whole('count-every'),
      renewAbove: 300_000,
      makeSystem: () => {
        const made = makeSystem()
        system = made
        return made
      },
      counted: (entry, { findings }) => {
        ledger.add(entry)
        say(`count: ${figures(entry.count)}`)
        for (const finding of findings) say(`  ${finding}`)
      },
      say,
    })
    return verdict === undefined || isSound(verdict.count)
  } catch (error) {
    say(`broken off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    return false
  }
}

function emptyFolder(): string {
  removeData()
  folder = mkdtempSync(join(dataDir, `svc-chaos-${seed}-`))
  return folder
}

let sound: boolean
if (values.system === 'all-in-one')
  sound = await run(
    FAULTS,
    { roles: ROLES, strikeLimitMs: 40_000 },
    () => new AllInOne({ dataDir: emptyFolder(), gateways: whole('gateways', 1) }),
  )
else if (values.system === 'cluster')
  sound = await run(
    CLUSTER_FAULTS,
    // A gateway that has just been started may have to wait for Kafka.
    { roles: LARGE_ROLES, strikeLimitMs: 120_000 },
    () =>
      new ClusterSystem({
        gateways: whole('gateways', 2),
        consumers: whole('consumers', 3),
        dataDir: emptyFolder(),
        say,
      }),
  )
else {
  process.stderr.write(`--system must be all-in-one or cluster, not ${JSON.stringify(values.system)}\n`)
  process.exit(2)
}
if (sound) removeData()
else say(`seed ${seed} failed; the data is kept in ${folder}`)
saySums(ledger.sums(values.system))
process.exit(sound ? 0 : 1)
