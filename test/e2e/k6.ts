import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { executablePath } from '../support/executable.js'
import { startService, temporaryDataDir } from '../support/service.js'

const K6 = join(packageRoot(), 'k6')
/** Installed as k6/README.md describes, or anywhere on the path. */
const program = executablePath(['k6'], `${join(packageRoot(), '.build', 'bin')}:${process.env.PATH ?? ''}`)

/** Settings that make each scenario short. */
const SHORT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'bulk-streaming.js': { VUS: '2', ITERATIONS: '10' },
  'burst.js': { RATE: '2', TIMES: '5', BATCH: '20', CALM_SECONDS: '2', BURST_SECONDS: '2' },
  'duplicates.js': { VUS: '2', ITERATIONS: '20', BATCH: '50' },
  'funnels.js': { VUS: '2', ITERATIONS: '10', BATCH: '100', QUERY_SECONDS: '3' },
  'hostile.js': { VUS: '2', DURATION: '3s', BATCH: '20' },
  'management.js': { WRITERS: '1', READERS: '2', DURATION: '3s' },
  'single-events.js': { VUS: '8', DURATION: '3s' },
  'skewed-clocks.js': { VUS: '2', ITERATIONS: '10', BATCH: '20' },
  'soak.js': { DURATION: '4s', RATE: '3', BATCH: '20' },
}
/** Machines that run tests do other work too. So speed is not judged here, only the results. */
const JUDGED = ['checks', 'unaccounted']

/*
 * Every load scenario in a short form: its checks hold, and its count at the end equals the accepted events.
 */
t.test(
  'every k6 scenario passes',
  {
    skip: program === undefined ? 'optional: no k6 on this machine (k6/README.md says how to get it)' : false,
    timeout: 600_000,
  },
  async (t) => {
    const folder = temporaryDataDir()
    t.teardown(() => folder.remove())
    const service = await startService(join(folder.path, 'data'))
    t.teardown(() => service.stop())
    const scenarios = readdirSync(K6).filter((name) => name.endsWith('.js'))
    t.same(scenarios.sort(), Object.keys(SHORT).sort(), 'each is made short')
    for (const name of scenarios) {
      const { output, crossed } = await run(name, {
        INGEST_URL: service.ingest,
        API_URL: service.api,
        SVC_SERVER_KEY: service.keys.serverKey,
        SVC_API_KEY: service.keys.apiKey,
        ...SHORT[name],
      })
      const wrong = crossed.filter((metric) => JUDGED.some((judged) => metric.startsWith(judged)))
      t.same(wrong, [], name)
      t.match(output, /[1-9]\d* \w+ of k6_\w+ are/, `${name} counts`)
    }
  },
)

/** @returns the output, and the metrics whose thresholds were crossed */
async function run(
  scenario: string,
  env: Readonly<Record<string, string>>,
): Promise<{ output: string; crossed: readonly string[] }> {
  const args = ['run', '--quiet', '--no-color', join(K6, scenario)]
  const ran = await promisify(execFile)(program ?? '', args, {
    env: { PATH: process.env.PATH, K6_NO_USAGE_REPORT: 'true', ...env },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code?: number; stdout?: string; stderr?: string }) => ({
      code: error.code,
      output: `${error.stdout}${error.stderr}`,
    }),
  )
  const said = /thresholds on metrics '([^']*)' have been crossed/.exec(ran.output)?.[1] ?? ''
  // 99 means that thresholds were crossed. With any other code k6 has not run to its end.
  if (ran.code !== 0 && (ran.code !== 99 || said === ''))
    throw new Error(`k6 ended with ${ran.code}:\n${ran.output}`)
  return { output: ran.output, crossed: said === '' ? [] : said.split(', ') }
}
