import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../runtime/package-root.js'
import { consumerCase } from './cases/consumer.js'
import { gatewayCase } from './cases/gateway.js'
import { queriesCase } from './cases/queries.js'
import { wholeCase } from './cases/whole.js'
import { type CaseResult, type Figure, keepFigures, readFigures, showFigures } from './support/figures.js'

const USAGE = `npm run bench -- [CASE …] [--quick] [--compare FILE]

Measures this machine: CPU of the whole process tree, the load generator apart. Compare ratios, not values; nothing here passes or fails.

  gateway    HTTP in, durable in the log
  consumer   log to queryable
  whole      the program as npm start runs it: rates, 202 to visible, memory
  queries    funnel, vocabulary and listing on two million events

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
    consumer: (folder) => consumerCase(folder, 1_500_000 * scale),
    whole: (folder) => wholeCase(folder, Math.max(3, 20 * scale)),
    queries: (folder) => queriesCase(folder, 2_000_000 * scale),
  }
  const unknown = names.filter((name) => !(name in cases))
  if (unknown.length > 0) {
    process.stderr.write(`there is no case ${unknown.join(', ')}: ${Object.keys(cases).join(', ')}\n`)
    process.exit(2)
  }
  const before = compare === undefined ? undefined : readFigures(compare)
  const results: CaseResult[] = []
  for (const [name, run] of Object.entries(cases)) {
    if (names.length > 0 && !names.includes(name)) continue
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
