import { collectWhenQuiet } from '../../runtime/collect-garbage.js'
import { type Config, ConfigError, parseConfig, type StageName } from '../../runtime/config.js'
import { errorMessage, isDiskFull } from '../../runtime/errors.js'
import { surviveClosedOutput } from '../lifecycle/process-endings.js'
import { platformProblem } from './platform.js'

/**
 * Runs a program configured by the environment, and ends this process with its exit code. Nothing native is
 * imported before the platform and the configuration are checked, so that every problem is one line: exit
 * code 2 for these two, else 1.
 *
 * @param stage undefined for all of them
 */
export async function runFromEnvironment(
  stage: StageName | undefined,
  load: () => Promise<(config: Config) => Promise<number>>,
): Promise<never> {
  // Events and keys are for this user alone, whatever the shell leaves open.
  process.umask(0o077)
  surviveClosedOutput()
  const problem = platformProblem()
  if (problem !== undefined) stop(problem, 2)
  let dataDir = ''
  try {
    const config = parseConfig(process.env, stage)
    dataDir = config.dataDir
    const run = await load()
    collectWhenQuiet()
    const code = await run(config)
    // A handle that a library left open must not keep a drained program alive.
    process.exit(code)
  } catch (error) {
    if (error instanceof ConfigError) stop(error.message, 2)
    if (!isDiskFull(error)) stop(errorMessage(error), 1)
    stop(
      `the disk of ${dataDir} is full: free some space, or set SVC_DATA_DIR to a directory on another disk`,
      1,
    )
  }
}

function stop(line: string, code: number): never {
  process.stderr.write(`svc: ${line.replaceAll(/\s*\n\s*/g, ' ')}\n`)
  process.exit(code)
}
