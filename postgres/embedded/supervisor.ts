import { backoffMs } from '../../runtime/backoff.js'
import { pause } from '../../runtime/concurrency/pause.js'
import type { Logger } from '../../runtime/logger.js'
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './start.js'

const PAUSES = { initialIntervalMs: 200, maxIntervalMs: 3_000 } as const

export interface SupervisedPostgresOptions extends Omit<EmbeddedPostgresOptions, 'onExit' | 'choosePort'> {
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
}

/**
 * Starts the embedded Postgres and restarts it on the same port whenever it ends unasked. A full disk ends
 * it, and it cannot start again before there is room. Clients find it at the same address, with everything
 * that was committed.
 *
 * @throws as `startEmbeddedPostgres` if the first start fails; later failures are logged, and retried every
 *   three seconds
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
        logger.warn('Embedded Postgres runs again')
        return
      } catch (error) {
        logger.error({ err: error }, 'Embedded Postgres could not be restarted: it is tried again')
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
