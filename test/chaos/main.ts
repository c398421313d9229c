/**
 * `npm run chaos -- --seed S --rounds N [--ledger FILE] [--data DIR] [--only FAULT,FAULT] [--count-every N] [--gateways N]`: disturbs the running service and counts every
 * event. docs/chaos.md says how to read what it prints.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packageRoot } from '../../runtime/package-root.js'
import { AllInOne } from './all-in-one.js'
import { FAULTS, faultsNamed } from './faults.js'
import { Ledger, type Sums } from './ledger.js'
import { runChaos } from './run.js'
import { type Count, FAULTY, isSound } from './verify.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string' },
    ledger: { type: 'string', default: join(packageRoot(), '.chaos', 'ledger.json') },
    data: { type: 'string', default: tmpdir() },
    only: { type: 'string' },
    'count-every': { type: 'string', default: '8' },
    gateways: { type: 'string', default: '1' },
  },
})

function whole(name: 'seed' | 'rounds' | 'count-every' | 'gateways'): number {
  const value = values[name] ?? ''
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
const from = ledger.reached(seed)
const dataDir = resolve(values.data)
mkdirSync(dataDir, { recursive: true })
let system: AllInOne | undefined
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

let sound = true
if (from >= rounds) say(`seed ${seed} has reached round ${from} already`)
else {
  say(`seed ${seed}, rounds ${from} to ${rounds}`)
  try {
    const verdict = await runChaos({
      seed,
      from,
      to: rounds,
      faults: values.only === undefined ? FAULTS : faultsNamed(values.only.split(',')),
      countEvery: whole('count-every'),
      renewAbove: 300_000,
      makeSystem: () => {
        removeData()
        folder = mkdtempSync(join(dataDir, `svc-chaos-${seed}-`))
        system = new AllInOne({ dataDir: folder, gateways: whole('gateways') })
        return system
      },
      counted: (entry, { findings }) => {
        ledger.add(entry)
        say(`count: ${figures(entry.count)}`)
        for (const finding of findings) say(`  ${finding}`)
      },
      say,
    })
    sound = verdict === undefined || isSound(verdict.count)
  } catch (error) {
    sound = false
    say(`broken off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
  if (sound) removeData()
  else say(`seed ${seed} failed; the data is kept in ${folder}`)
}
saySums(ledger.sums())
process.exit(sound ? 0 : 1)
