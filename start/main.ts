#!/usr/bin/env node
import { ConfigError, parseConfig } from '../runtime/config.js'
import { messageOf } from '../runtime/message-of.js'
import { platformProblem } from './platform.js'

/**
 * `npm start`: everything in one go. Nothing native is imported before the platform and the configuration have been checked, so that what is
 * wrong is said in one line.
 */
const problem = platformProblem()
if (problem !== undefined) stop(problem, 1)

try {
  const config = parseConfig(process.env)
  // Native work of LMDB and ClickHouse waits on libuv's threads; four are too few for several connections side by side.
  process.env.UV_THREADPOOL_SIZE ??= '16'
  const { runAllInOne } = await import('./all-in-one.js')
  process.exitCode = await runAllInOne(config)
  // Whatever a library left open must not keep a drained service alive.
  process.exit()
} catch (error) {
  if (error instanceof ConfigError) stop(error.message, 2)
  stop(messageOf(error), 1)
}

function stop(line: string, code: number): never {
  process.stderr.write(`svc: ${line.replaceAll(/\s*\n\s*/g, ' ')}\n`)
  process.exit(code)
}
