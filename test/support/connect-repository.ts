import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { packageRoot } from '../../runtime/package-root.js'
import { withoutSvc } from './program.js'
import { compiledRoot, type RunningService } from './service.js'

/** Connects a repository on this machine, by the administrator's command. */
export function connectRepository(service: Pick<RunningService, 'dataDir'>, path: string): void {
  const main = join(packageRoot(), compiledRoot(), 'cli', 'main.js')
  execFileSync(process.execPath, [main, 'admin', 'repository', 'connect', '--local', path], {
    env: { ...withoutSvc(process.env), SVC_DATA_DIR: service.dataDir },
    stdio: 'pipe',
  })
}
