import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packageRoot } from '../runtime/package-root.js'
import { capacityCase } from './cases/events/capacity.js'
import { consumerCase } from './cases/events/consumer.js'
import { dedupCase } from './cases/events/dedup.js'
import { gatewayCase } from './cases/events/gateway.js'
import { kafkaCase } from './cases/events/kafka.js'
import { sdkCase } from './cases/events/sdk.js'
import { singleCase } from './cases/events/single.js'
import { startCase } from './cases/events/start.js'
import { wholeCase } from './cases/events/whole.js'
import { managementCase } from './cases/management/management.js'
import { proposalsCase } from './cases/proposals/proposals.js'
import { funnelCase } from './cases/queries/funnel.js'
import { insightsCase } from './cases/queries/insights.js'
import { newFunnelCase } from './cases/queries/new-funnel.js'
import { queriesCase } from './cases/queries/queries.js'
import { resultsCase } from './cases/queries/results.js'
import { isProfiled, runProfiled } from './support/cost/profile.js'
import {
  type CaseResult,
  type Figure,
  fileTime,
  keepFigures,
  readFigures,
  showFigures,
  withYardstick,
} from './support/figures.js'

const USAGE = `npm run bench -- [CASE …] [--quick] [--profile] [--compare FILE]

Measures this machine: CPU of the whole process tree, the load generator apart. Compare ratios, not values; nothing here passes or fails.

Without a case: one table of those marked with *, with less work than where they are named, in some minutes. Each row has its yardstick from the same run, the CPU seconds that a million events take,
and the seconds by the clock. Rows without a yardstick are shown where a case is named.

CASES

  --quick          a tenth of the work, to see that it runs
  --profile        CPU profiles of every process of one case, to be opened in a browser's developer tools
  --ids N          how many ids the case dedup has, up to 1e9; 20 million otherwise
  --memory MB      of the cases dedup and start, as SVC_DEDUP_MEMORY_MB; 128 otherwise
  --compare FILE   an earlier run's JSON beside this one's
`

/** The arguments make no sense. */
class UsageError extends Error {}

interface Case {
  readonly what: string
  /** The share of its work that it does in the table; undefined if it takes too long for that. */
  readonly inTable?: number
  /** @param folder an empty one, removed afterwards */
  run(
    folder: string,
    scale: number,
    options: { readonly ids: number; readonly memoryMb: number },
  ): Promise<Figure[]>
}

/** Data that later runs reuse. */
const KEPT = join(packageRoot(), '.build', 'bench')
const RESULTS = join(packageRoot(), 'bench', 'results')

const CASES: Readonly<Record<string, Case>> = {
  gateway: {
    what: 'batches over HTTP, durable in the log',
    inTable: 0.5,
    run: (folder, scale) => gatewayCase(folder, Math.max(2, 12 * scale)),
  },
  single: {
    what: 'requests of one event over 256 connections, durable in the log',
    inTable: 0.5,
    run: (folder, scale) => singleCase(folder, Math.max(2, 12 * scale)),
  },
  consumer: {
    what: 'log to queryable',
    inTable: 0.6,
    run: (folder, scale) => consumerCase(folder, 1_500_000 * scale),
  },
  whole: {
    what: 'the program as npm start runs it: rates, 202 to visible at three loads, memory',
    inTable: 0.5,
    run: (folder, scale) => wholeCase(folder, Math.max(3, 20 * scale)),
  },
  funnels: {
    what: 'funnels in every form on twenty million events, which are made once and kept in .build/bench',
    inTable: 0.1,
    run: (_, scale) => funnelCase(KEPT, Math.round(20_000_000 * scale)),
  },
  'new-funnel': {
    what: 'a funnel over HTTP that was never asked before, on the two million events of funnels --quick',
    inTable: 1,
    run: (folder, scale) => newFunnelCase(folder, KEPT, Math.round(2_000_000 * scale)),
  },
  insights: {
    what: 'trends and retention beside bare scans of their rows, on the events of the funnels',
    inTable: 0.1,
    run: (_, scale) => insightsCase(KEPT, Math.round(20_000_000 * scale)),
  },
  results: {
    what: 'results of an experiment on ten million events, which are made once and kept in .build/bench',
    inTable: 0.05,
    run: (_, scale) => resultsCase(KEPT, Math.round(10_000_000 * scale)),
  },
  queries: {
    what: 'pages of events, event names and a funnel asked again, over HTTP, on two million events and a tenth of them',
    inTable: 0.1,
    run: (folder, scale) => queriesCase(folder, Math.round(2_000_000 * scale)),
  },
  kafka: {
    what: 'the gateway with batches on a Kafka broker, beside the embedded log',
    run: (folder, scale) => kafkaCase(folder, Math.max(3, 12 * scale)),
  },
  capacity: {
    what: 'a hundred million events into one machine, which takes half an hour; then CPU of each stage and store on a Kafka broker and a ClickHouse server',
    run: (folder, scale) => capacityCase(folder, Math.round(100_000_000 * scale)),
  },
  sdk: {
    what: 'the client libraries beside those of other products, and their memory while svc is away',
    run: (folder, scale) => sdkCase(folder, Math.round(100_000 * scale)),
  },
  dedup: {
    what: 'the deduplication alone, with ids that are computed',
    run: (folder, scale, { ids, memoryMb }) => dedupCase(folder, { ids: Math.round(ids * scale), memoryMb }),
  },
  start: {
    what: 'how long a start takes on twenty million events, which are taken in once and kept in .build/bench',
    run: (_, scale, { memoryMb }) => startCase(KEPT, Math.round(20_000_000 * scale), memoryMb),
  },
  proposals: {
    what: 'batches of proposals on public code bases, by the rules and by the model that SVC_LLM_URL and SVC_LLM_MODEL name',
    run: () => proposalsCase(KEPT),
  },
  management: {
    what: 'the management API on a million experiments, which are made once and kept in .build/bench',
    run: (folder, scale) => managementCase(folder, KEPT, Math.round(1_000_000 * scale)),
  },
}

function usage(): string {
  const lines = Object.entries(CASES).map(
    ([name, { what, inTable }]) => `${inTable === undefined ? '  ' : '* '}${name.padEnd(12)} ${what}`,
  )
  return USAGE.replace('CASES', lines.join('\n'))
}

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals: names } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      compare: { type: 'string' },
      ids: { type: 'string', default: '20e6' },
      memory: { type: 'string', default: '128' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(usage())
    return
  }
  const unknown = names.filter((name) => !(name in CASES))
  if (unknown.length > 0)
    throw new UsageError(`there is no case ${unknown.join(', ')}: ${Object.keys(CASES).join(', ')}`)
  if (values.profile && !isProfiled()) {
    if (names.length !== 1) throw new UsageError('a profile is that of one case: name it')
    await runProfiled(args, join(RESULTS, `${names[0]}-${fileTime(new Date())}`))
    return
  }
  const before = values.compare === undefined ? undefined : readFigures(values.compare)
  const inTable = names.length === 0
  const options = { ids: Number(values.ids), memoryMb: Number(values.memory) }
  const results: CaseResult[] = []
  for (const [name, { inTable: share, run }] of Object.entries(CASES)) {
    if (inTable ? share === undefined : !names.includes(name)) continue
    process.stderr.write(`${name} …\n`)
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
    try {
      const scale = (inTable ? (share ?? 1) : 1) * (values.quick ? 0.1 : 1)
      results.push({ case: name, figures: await run(folder, scale, options) })
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
  process.stdout.write(`${showFigures(inTable ? withYardstick(results) : results, before)}\n`)
  const kept = keepFigures(RESULTS, new Date(), results)
  process.stdout.write(`\nkept in ${kept}; show beside a later run with --compare\n`)
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    const wrong = error instanceof UsageError || (error instanceof TypeError && 'code' in error)
    process.stderr.write(`${wrong ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(wrong ? 2 : 1)
  },
)
