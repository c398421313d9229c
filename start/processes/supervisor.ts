import { type ChildProcess, fork } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import type { Stage } from '../../runtime/stage.js'
import { linkStage } from '../../runtime/stage-ipc.js'
import type { ConsumersOptions } from './consumers-worker.js'
import { gatewayProcessSettings } from './gateway-config.js'
import type { GatewayOptions } from './gateway-process.js'

const RESTART_DELAY_MS = 500

/** A stage that runs apart from this program's main thread and is started again when it ends unasked. */
export interface SupervisedStage extends Stage {
  /** Ends it at once, without draining; for a start that fails half-way. */
  kill(): void
}

interface Running {
  readonly stage: Stage
  kill(): void
}

/** Starts a gateway process and keeps it running on the port it got the first time. */
export async function superviseGateway(options: GatewayOptions, logger: Logger): Promise<SupervisedStage> {
  let { port, faultPoint } = options
  const start = async (onExit: (reason: string) => void): Promise<Running> => {
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
    // A fault happens once: what is started again goes on without.
    faultPoint = undefined
    const kill = (): void => {
      child.kill('SIGKILL')
    }
    try {
      const stage = await link.ready
      // Started again it must listen where clients already send.
      if (stage.url !== undefined) port = Number(new URL(stage.url).port)
      return { stage, kill }
    } catch (error) {
      kill()
      throw error
    }
  }
  return supervise('ingest', start, logger)
}

/**
 * Starts the consumers on a worker thread and keeps them running. Each start gets options of its own: the port to the engine serves one thread.
 */
export async function superviseConsumers(
  makeOptions: () => ConsumersOptions,
  logger: Logger,
): Promise<SupervisedStage> {
  const start = async (onExit: (reason: string) => void): Promise<Running> => {
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
    return {
      stage: await link.ready,
      kill: () => void worker.terminate(),
    }
  }
  return supervise('consumers', start, logger)
}

async function supervise(
  name: Stage['name'],
  start: (onExit: (reason: string) => void) => Promise<Running>,
  logger: Logger,
): Promise<SupervisedStage> {
  let stopping = false
  let running: Running | undefined
  let allGone: (() => void) | undefined
  const gone = new Promise<void>((resolve) => {
    allGone = resolve
  })
  const onExit = (reason: string): void => {
    const wasRunning = running !== undefined
    running = undefined
    if (stopping) allGone?.()
    else if (wasRunning) {
      logger.error({ stage: name, reason }, 'a stage ended by itself and is started again')
      setTimeout(() => void again(), RESTART_DELAY_MS)
    }
  }
  const again = async (): Promise<void> => {
    if (stopping) return
    try {
      running = await start(onExit)
    } catch (error) {
      logger.error({ stage: name, err: error }, 'a stage could not be started again yet')
      setTimeout(() => void again(), RESTART_DELAY_MS * 4)
    }
  }
  running = await start(onExit)
  const url = running.stage.url
  const current = (): Stage => {
    if (running === undefined) throw new Error('being started again')
    return running.stage
  }
  return {
    name,
    url,
    checks: async () => current().checks(),
    metrics: async () => current().metrics(),
    stop: async () => {
      stopping = true
      const stage = running?.stage
      if (stage === undefined) return
      await stage.stop()
      await gone
    },
    kill: () => {
      stopping = true
      running?.kill()
    },
  }
}
