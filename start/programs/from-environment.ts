import { type Config, ConfigError, parseConfig, type StageName } from '../../runtime/config.js'
import { errorMessage } from '../../runtime/errors.js'
import { platformProblem } from './platform.js'

/**
 * Ends this process with what a program makes of the environment. Nothing native is imported before the platform and the configuration have been
 * checked, so that what is wrong is said in one line: exit code 2 for these two, else 1.
 *
 * @param stage undefined for all of them
 * @param load the program
 */
export async function runFromEnvironment(
  stage: StageName | undefined,
  load: () => Promise<(config: Config) => Promise<number>>,
): Promise<never> {
  const problem = platformProblem()
  if (problem !== undefined) stop(problem, 2)
  try {
    const config = parseConfig(process.env, stage)
    // Native work of LMDB and ClickHouse waits on libuv's threads; four are too few for several connections side by side.
    process.env.UV_THREADPOOL_SIZE ??= '16'
    const run = await load()
    const code = await run(config)
    // Whatever a library left open must not keep a drained program alive.
    process.exit(code)
  } catch (error) {
    if (error instanceof ConfigError) stop(error.message, 2)
    stop(errorMessage(error), 1)
  }
}

function stop(line: string, code: number): never {
  process.stderr.write(`svc: ${line.replaceAll(/\s*\n\s*/g, ' ')}\n`)
  process.exit(code)
}
