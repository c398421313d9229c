/**
 * `npm run fuzz -- --minutes N --seed S [--requests N] [--from N] [--workers N]`: sends hostile requests to
 * both ports of a running svc, beside good ones. `--from` continues a run of the same seed. Exit code 1 if
 * anything was wrong.
 */
import { parseArgs } from 'node:util'
import { temporaryDataDir } from '../support/service.js'
import { fuzzService } from './service.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    requests: { type: 'string' },
    from: { type: 'string', default: '0' },
    workers: { type: 'string', default: '200' },
  },
})
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const startedAt = performance.now()
const dataDir = temporaryDataDir()
try {
  const { report, problems } = await fuzzService(dataDir.path, {
    seed: Number(values.seed),
    first: Number(values.from),
    seconds: Number(values.minutes) * 60,
    workers: Number(values.workers),
    ...(values.requests === undefined ? {} : { requests: Number(values.requests) }),
    onProgress: (requests) => {
      if (requests % 50_000 === 0)
        say(`${requests} requests; go on with --from ${Number(values.from) + requests}`)
    },
  })
  const seconds = (performance.now() - startedAt) / 1_000
  for (const [name, times] of Object.entries(report.outcomes).sort())
    say(`${String(times).padStart(9)}  ${name}`)
  say(
    `${report.requests} hostile requests in ${seconds.toFixed(0)} s, seed ${values.seed}; go on with --from ${Number(values.from) + report.requests}`,
  )
  say(
    `good batches beside: ${report.good.sent}, refused ${report.good.refused.length}, p50 ${report.good.p50.toFixed(1)} ms, p99 ${report.good.p99.toFixed(1)} ms`,
  )
  say(
    `memory of the Node processes: ${report.memory[0]} MB after a fifth of the time, ${report.memory[1]} MB at the end`,
  )
  for (const problem of problems) say(`WRONG: ${problem}`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  dataDir.remove()
}
