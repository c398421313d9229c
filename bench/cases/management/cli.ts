import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../runtime/package-root.js'
import { startService } from '../../../test/support/service.js'
import type { Figure } from '../../support/figures.js'
import { percentile } from '../../support/figures.js'

/**
 * Duration of short commands beside an idle Node: medians of processes started one after the other, in turns.
 */
export async function cliCase(folder: string, rounds: number): Promise<Figure[]> {
  const service = await startService(join(folder, 'data'))
  try {
    const main = join(packageRoot(), 'dist', 'cli', 'main.js')
    const alone = join(folder, 'client')
    mkdirSync(alone)
    execFileSync('tar', ['xzf', join(packageRoot(), 'dist', 'client', 'svc.tgz'), '-C', alone])
    const archive = join(alone, 'package', 'svc.js')
    const environment = { SVC_API_URL: service.api, SVC_API_KEY: service.keys.apiKey }
    const commands: Readonly<Record<string, readonly string[]>> = {
      'node -e 0': ['-e', '0'],
      'svc --version': [main, '--version'],
      'svc whoami': [main, 'whoami'],
      'svc experiments list': [main, 'experiments', 'list'],
      'svc.tgz --version': [archive, '--version'],
      'svc.tgz whoami': [archive, 'whoami'],
    }
    const times = new Map<string, number[]>()
    for (let round = 0; round < rounds; round++)
      for (const [name, args] of Object.entries(commands))
        times.set(name, [...(times.get(name) ?? []), await timeOf(args, environment)])
    const median = (name: string): number => percentile(times.get(name) ?? [], 0.5)
    const bare = median('node -e 0')
    return Object.keys(commands).map((name) => {
      const value = median(name)
      return name === 'node -e 0'
        ? { name, value, unit: 'ms' }
        : { name, value, unit: 'ms', ratio: value / bare, ratioTo: 'node -e 0' }
    })
  } finally {
    await service.stop()
  }
}

function timeOf(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<number> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env: environment }, (error) => {
      if (error === null) resolve(performance.now() - startedAt)
      else reject(error)
    })
  })
}
