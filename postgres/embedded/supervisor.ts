import { backoffMs } from '../../runtime/backoff.js'
import { pause } from '../../runtime/concurrency/pause.js'
import type { Logger } from '../../runtime/logger.js'
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './start.js'

const PAUSES = { initialIntervalMs: 200, maxIntervalMs: 3_000 } as const

export interface SupervisedPostgresOptions extends Omit<EmbeddedPostgresOptions, 'onExit' | 'choosePort'> {
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
}

/**
 * Starts the embedded Postgres and starts it again, on the same port, whenever it ends unasked: a disk without room for its journal ends it, and it
 * cannot come back before there is some. Whoever is connected finds it again at the same address, with all that was committed.
 *
 * Throws as `startEmbeddedPostgres` does where the first start fails; later failures are logged and tried again, every three seconds in the end.
 */
export async function superviseEmbeddedPostgres(
  options: SupervisedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { logger } = options
  const stopping = new AbortController()
  let again: Promise<void> = Promise.resolve()
  const onExit = (): void => {
    again = startAgain()
  }
  const first = await startEmbeddedPostgres({ ...options, onExit })
  const port = Number(new URL(first.url).port)
  let current = first

  async function startAgain(): Promise<void> {
    for (let attempt = 0; !stopping.signal.aborted; attempt++) {
      await pause(backoffMs(PAUSES, attempt), stopping.signal)
      if (stopping.signal.aborted) return
      try {
        current = await startEmbeddedPostgres({ ...options, onExit, choosePort: async () => port })
        logger.warn('the embedded Postgres runs again')
        return
      } catch (error) {
        logger.error({ err: error }, 'the embedded Postgres could not be started again yet')
      }
    }
  }

  return {
    url: first.url,
    get pid() {
      return current.pid
    },
    async stop() {
      stopping.abort()
      await again
      await current.stop()
    },
  }
}
