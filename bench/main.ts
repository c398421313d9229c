import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../runtime/package-root.js'
import { cliCase } from './cases/cli.js'
import { consumerCase } from './cases/consumer.js'
import { dedupCase } from './cases/dedup.js'
import { floodCase } from './cases/flood.js'
import { funnelCase } from './cases/funnel.js'
import { gatewayCase } from './cases/gateway.js'
import { generatorsCase } from './cases/generators.js'
import { kafkaCase } from './cases/kafka.js'
import { managementCase } from './cases/management.js'
import { pullRequestsCase } from './cases/pull-requests.js'
import { queriesCase } from './cases/queries.js'
import { refreshCase } from './cases/refresh.js'
import { resultsCase } from './cases/results.js'
import { singleCase } from './cases/single.js'
import { takeoverCase } from './cases/takeover.js'
import { variantsCase } from './cases/variants.js'
import { wholeCase } from './cases/whole.js'
import { type CaseResult, type Figure, keepFigures, readFigures, showFigures } from './support/figures.js'

const USAGE = `npm run bench -- [CASE …] [--quick] [--compare FILE]

Measures this machine: CPU of the whole process tree, the load generator apart. Compare ratios, not values; nothing here passes or fails.

  gateway    batches over HTTP, durable in the log
  single     requests of one event over 256 connections, durable in the log
  consumer   log to queryable
  whole      the program as npm start runs it: rates, 202 to visible, memory
  funnels    funnels in every form on twenty million events, which are made once and kept in .build/bench
  kafka      the gateway with batches on a Kafka broker, beside the embedded log
  takeover   how soon events of a consumer that was killed, frozen or stopped are seen again; Kafka, two consumers
  flood      64 connections against the whole program, far above the limits of a key
  dedup      fifty million ids of a month, the take-over of seven million, budgets that are too small
  queries    pages of events, event names and a funnel asked again, over HTTP, on two million events and a tenth of them
  management  the management API on a million experiments, which are made once and kept in .build/bench
  results    results of an experiment on ten million events, which are made once and kept in .build/bench, and storing with exposures
  generators  a batch of proposals on five and on fifty thousand files, and once more on the same commit
  pull-requests  approve to open pull request on local git with five and fifty thousand files; what a status costs with and without one
  variants   experiments written into files of 5,000 lines and taken out again; the helper's size and decisions
  refresh    two hundred running experiments on two million events, refreshed while events come in and an analyst asks for funnels
  cli        how long short commands of the command line take, beside Node that does nothing
  queries-20m  the same on twenty million; runs only where it is named

  --quick          a tenth of the work, to see that it runs
  --compare FILE   an earlier run's JSON beside this one's
`

async function main(args: readonly string[]): Promise<void> {
  const names: string[] = []
  let scale = 1
  let compare: string | undefined
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ''
    if (arg === '--quick') scale = 0.1
    else if (arg === '--compare') compare = args[++i]
    else if (arg.startsWith('-')) {
      process.stdout.write(USAGE)
      return
    } else names.push(arg)
  }
  const cases: Record<string, (folder: string) => Promise<Figure[]>> = {
    gateway: (folder) => gatewayCase(folder, Math.max(2, 12 * scale)),
    single: (folder) => singleCase(folder, Math.max(2, 12 * scale)),
    consumer: (folder) => consumerCase(folder, 1_500_000 * scale),
    whole: (folder) => wholeCase(folder, Math.max(3, 20 * scale)),
    funnels: () => funnelCase(join(packageRoot(), '.build', 'bench'), 20_000_000 * scale),
    kafka: (folder) => kafkaCase(folder, Math.max(3, 12 * scale)),
    takeover: () => takeoverCase(scale < 1 ? 1 : 3),
    flood: (folder) => floodCase(folder, Math.max(5, 60 * scale)),
    dedup: (folder) => dedupCase(folder, 50_000_000 * scale, 7_000_000 * scale),
    queries: (folder) => queriesCase(folder, 2_000_000 * scale),
    management: (folder) =>
      managementCase(
        folder,
        join(packageRoot(), '.build', 'bench'),
        1_000_000 * scale,
        Math.max(2, 8 * scale),
      ),
    results: (folder) => resultsCase(join(packageRoot(), '.build', 'bench'), folder, 10_000_000 * scale),
    generators: () => generatorsCase(scale),
    variants: () => variantsCase(Math.max(3, 10 * scale)),
    'pull-requests': (folder) => pullRequestsCase(folder, Math.max(10, 100 * scale), Math.max(2, 8 * scale)),
    refresh: (folder) => refreshCase(folder, { events: 2_000_000 * scale, experiments: 200 * scale }),
    cli: (folder) => cliCase(folder, Math.max(5, 40 * scale)),
    'queries-20m': (folder) => queriesCase(folder, 20_000_000 * scale),
  }
  const unknown = names.filter((name) => !(name in cases))
  if (unknown.length > 0) {
    process.stderr.write(`there is no case ${unknown.join(', ')}: ${Object.keys(cases).join(', ')}\n`)
    process.exit(2)
  }
  const before = compare === undefined ? undefined : readFigures(compare)
  const results: CaseResult[] = []
  for (const [name, run] of Object.entries(cases)) {
    if (names.length > 0 ? !names.includes(name) : name === 'queries-20m') continue
    process.stderr.write(`${name} …\n`)
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
    try {
      results.push({ case: name, figures: await run(folder) })
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
  process.stdout.write(`${showFigures(results, before)}\n`)
  const kept = keepFigures(join(packageRoot(), 'bench', 'results'), new Date(), results)
  process.stdout.write(`\nkept in ${kept}; show beside a later run with --compare\n`)
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(1)
  },
)
