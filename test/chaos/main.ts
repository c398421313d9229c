/**
 * `npm run chaos -- --seed S --rounds N [--system all-in-one|cluster] [--ledger FILE] [--data DIR] [--only
 * FAULT,FAULT] [--faults N] [--minutes M] [--count-every N] [--gateways N] [--consumers N] [--brokers 1|3]
 * [--shards N]`: disturbs the running service and counts every event. docs/contribute/chaos.md explains what
 * it prints.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packageRoot } from '../../runtime/package-root.js'
import { type ClientRole, LARGE_ROLES, ROLES } from './clients/clients.js'
import { type Fault, faultsNamed } from './faults/faults.js'
import { PRODUCT_CLUSTER_FAULTS, PRODUCT_FAULTS } from './faults/product-faults.js'
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
    minutes: { type: 'string' },
    faults: { type: 'string' },
    'count-every': { type: 'string', default: '8' },
    gateways: { type: 'string' },
    consumers: { type: 'string' },
    brokers: { type: 'string' },
    shards: { type: 'string' },
  },
})

function whole(
  name: 'seed' | 'rounds' | 'faults' | 'minutes' | 'count-every' | 'gateways' | 'consumers' | 'shards',
  fallback?: number,
): number {
  const value = values[name] ?? String(fallback ?? '')
  if (/^\d{1,9}$/.test(value)) return Number(value)
  process.stderr.write(`--${name} must be a whole number, not ${JSON.stringify(value)}\n`)
  process.exit(2)
}

const MAX_ROUNDS = 100_000
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const figures = (count: Count): string =>
  `acknowledged ${count.acknowledged}, stored ${count.stored}, management writes ${count.writes}, jobs ${count.jobs}, ${FAULTY.map((kind) => `${kind} ${count[kind]}`).join(', ')}`

function saySums({ seeds, rounds, faults, uncounted, count }: Sums): void {
  const times = Object.values(faults).reduce((sum, n) => sum + n, 0)
  say(`\n${times} faults that count in ${rounds} rounds of ${seeds} seeds, ${uncounted} that do not`)
  for (const [name, n] of Object.entries(faults).sort()) say(`  ${String(n).padStart(5)}  ${name}`)
  say(`${figures(count)}`)
}

const seed = whole('seed')
const minutes = whole('minutes', 100_000)
/** Each round has one fault that counts, unless it is given up. */
const rounds = values.faults === undefined ? whole('rounds', MAX_ROUNDS) : whole('faults')
const ledger = new Ledger(resolve(values.ledger))
const dataDir = resolve(values.data)
mkdirSync(dataDir, { recursive: true })
let system: System | undefined
let folder: string | undefined
const removeData = (): void => {
  system?.discard?.()
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
      renewAbove: 150_000,
      product: true,
      minAcknowledged: 300,
      tries: 2,
      until: Date.now() + minutes * 60_000,
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
    PRODUCT_FAULTS,
    { roles: ROLES, strikeLimitMs: 45_000 },
    () => new AllInOne({ dataDir: emptyFolder(), gateways: whole('gateways', 1), product: true }),
  )
else if (values.system === 'cluster')
  sound = await run(
    PRODUCT_CLUSTER_FAULTS,
    // A gateway that has just been started may have to wait for Kafka.
    { roles: LARGE_ROLES, strikeLimitMs: 45_000 },
    () =>
      new ClusterSystem({
        gateways: whole('gateways', 2),
        consumers: whole('consumers', 3),
        brokers: values.brokers === '1' ? 1 : 3,
        shards: whole('shards', 1),
        dataDir: emptyFolder(),
        product: true,
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
