import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../../runtime/package-root.js'
import { call, compiledRoot, startService } from '../support/service.js'
import { type FuzzReport, fuzz } from './run.js'

/** Mebibytes that a quiet process may grow by, and the share above which memory is not flat. */
const GROWTH_MB = 60
const GROWTH_SHARE = 1.3
const STORED_LIMIT_MS = 60_000

/**
 * Starts svc, sends it the hostile requests of a seed, and counts the good events that it acknowledged.
 * `problems` are empty if nothing was wrong.
 */
export async function fuzzService(
  dataDir: string,
  options: Omit<Parameters<typeof fuzz>[1], 'keys' | 'goodKey'>,
): Promise<{ readonly report: FuzzReport; readonly problems: readonly string[] }> {
  const service = await startService(dataDir, { env: { SVC_API_REQUESTS_PER_SECOND: '100000' } })
  try {
    const { serverKey, publishableKey, apiKey, sessionToken } = service.keys
    const admin = async (...words: string[]): Promise<Record<string, string>> => {
      const cli = join(packageRoot(), compiledRoot(), 'cli/main.js')
      const run = await promisify(execFile)(process.execPath, [cli, 'admin', ...words, '--json'], {
        env: { ...process.env, SVC_DATA_DIR: dataDir },
      })
      return JSON.parse(run.stdout) as Record<string, string>
    }
    await admin('quota', 'set', '--requests-per-second', '100000', '--events-per-second', '1000000')
    const { id = '' } = await admin('workspace', 'create', '--name', 'Good')
    const { key: goodKey = '' } = await admin(
      'key',
      'create',
      '--type',
      'server',
      '--name',
      'good',
      '--workspace',
      id,
    )
    const { key: goodApiKey = '' } = await admin(
      'key',
      'create',
      '--type',
      'api',
      '--name',
      'good',
      '--workspace',
      id,
    )
    const report = await fuzz(service, {
      ...options,
      keys: { server: serverKey, publishable: publishableKey, api: apiKey, session: sessionToken },
      goodKey,
    })
    const acknowledged = report.good.sent - report.good.refused.length
    const stored = async (): Promise<number> => {
      const { body } = await call<{ pagination: { total: number } }>(
        goodApiKey,
        'GET',
        `${service.api}/v1/events?limit=1`,
      )
      return body.pagination.total
    }
    const until = performance.now() + STORED_LIMIT_MS
    let count = await stored()
    while (count < acknowledged && performance.now() < until) count = await stored()

    const [warm, end] = report.memory
    const problems = report.faults.map(
      ({ number, kind, outcome, answer }) =>
        `request ${number} (${kind}): ${outcome} ${answer.split('\r\n\r\n')[1] ?? ''}`,
    )
    const { refused } = report.good
    if (refused.length > 0) problems.push(`${refused.length} good batches were refused: ${refused[0]}`)
    if (count !== acknowledged) problems.push(`${acknowledged} good events acknowledged, ${count} stored`)
    if (!report.alive) problems.push('a process has ended')
    if (end > warm * GROWTH_SHARE && end > warm + GROWTH_MB)
      problems.push(`memory grew from ${warm} to ${end} MB`)
    const bad = service
      .output()
      .split('\n')
      .filter((line) => /"level":(50|60)|uncaught|unhandled/i.test(line))
    if (bad.length > 0) problems.push(`${bad.length} lines of the log are errors: ${bad[0]}`)
    return { report, problems }
  } finally {
    await service.stop()
  }
}
