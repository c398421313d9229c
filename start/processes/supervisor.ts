import { type ChildProcess, fork } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import type { Stage } from '../../runtime/stage.js'
import { linkStage } from '../../runtime/stage-ipc.js'
import type { ConsumersOptions } from './consumers-worker.js'
import type { GatewayOptions } from './gateway-process.js'
import { gatewayProcessSettings } from './gateway-process-config.js'

const RESTART_DELAY_MS = 500

/** Starts a gateway process and keeps it running on its first port. */
export async function superviseGateway(options: GatewayOptions, logger: Logger): Promise<Stage> {
  let { port, faultPoint } = options
  const start = async (onExit: (reason: string) => void): Promise<Stage> => {
    const child: ChildProcess = fork(new URL('./gateway-process.js', import.meta.url), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
      ...gatewayProcessSettings(),
    })
    const link = linkStage({
      post: (message) => {
        child.send(message as object, () => {})
      },
      listen: (receive) => child.on('message', receive),
    })
    child.once('exit', (code, signal) => {
      const reason = `the gateway ended (${signal ?? `exit code ${code}`})`
      link.ended(reason)
      onExit(reason)
    })
    child.send({ ...options, port, faultPoint })
    // A fault happens once: the restarted process runs without it.
    faultPoint = undefined
    try {
      const stage = await link.ready
      // After a restart it must listen where clients already send.
      if (stage.url !== undefined) port = Number(new URL(stage.url).port)
      return stage
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    }
  }
  return supervise('ingest', start, logger)
}

/**
 * Starts the consumers on a worker thread and keeps them running.
 *
 * @param makeOptions called for each start, because a port to the engine serves one thread
 */
export async function superviseConsumers(
  makeOptions: () => ConsumersOptions,
  logger: Logger,
): Promise<Stage> {
  const start = async (onExit: (reason: string) => void): Promise<Stage> => {
    const options = makeOptions()
    const worker = new Worker(new URL('./consumers-worker.js', import.meta.url), {
      workerData: options,
      transferList: options.clickhouse.kind === 'embedded' ? [options.clickhouse.port] : [],
    })
    const link = linkStage({
      post: (message) => worker.postMessage(message),
      listen: (receive) => worker.on('message', receive),
    })
    let problem = ''
    worker.once('error', (error) => {
      problem = `: ${errorMessage(error)}`
    })
    worker.once('exit', () => {
      const reason = `the consumers ended${problem}`
      link.ended(reason)
      onExit(reason)
    })
    return await link.ready
  }
  return supervise('consumers', start, logger)
}

async function supervise(
  name: Stage['name'],
  start: (onExit: (reason: string) => void) => Promise<Stage>,
  logger: Logger,
): Promise<Stage> {
  let stopping = false
  let running: Stage | undefined
  let allGone: (() => void) | undefined
  const gone = new Promise<void>((resolve) => {
    allGone = resolve
  })
  const onExit = (reason: string): void => {
    const wasRunning = running !== undefined
    running = undefined
    if (stopping) allGone?.()
    else if (wasRunning) {
      logger.error({ stage: name, reason }, 'Stage ended unexpectedly: it is started again')
      setTimeout(() => void again(), RESTART_DELAY_MS)
    }
  }
  const again = async (): Promise<void> => {
    if (stopping) return
    try {
      running = await start(onExit)
    } catch (error) {
      logger.error({ stage: name, err: error }, 'Stage could not be restarted: it is tried again')
      setTimeout(() => void again(), RESTART_DELAY_MS * 4)
    }
  }
  running = await start(onExit)
  const { url } = running
  const current = (): Stage => {
    if (running === undefined) throw new Error('the stage is being restarted')
    return running
  }
  return {
    name,
    url,
    checks: async () => current().checks(),
    metrics: async () => current().metrics(),
    stop: async () => {
      stopping = true
      const stage = running
      if (stage === undefined) return
      await stage.stop()
      await gone
    },
  }
}
