import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../postgres/embedded/start.js'
import { freePort } from './network/free-port.js'

/** A separate Postgres server, which can be killed and started again on what it has stored. */
export interface PostgresServer {
  /** `postgres://user:password@host:port/database`; the same after every start. */
  readonly url: string
  /** Kills the server; its processes notice and leave, and no connection is taken until `restart`. */
  kill(): void
  /** Stops it where it runs, as an administrator does, and starts it again. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Serves the cluster in `dataDir`, made where it is missing. The folder stays the caller's. */
export async function startPostgresServer(dataDir: string): Promise<PostgresServer> {
  const port = await freePort()
  // Writes before a kill are in the system's cache, so they survive it. Only a power cut would lose them.
  const start = (): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({ dataDir, durable: false, choosePort: async () => port })
  let server = await start()
  return {
    get url() {
      return server.url
    },
    kill() {
      try {
        process.kill(server.pid, 'SIGKILL')
      } catch {
        // Gone already.
      }
    },
    async restart() {
      await server.stop()
      server = await start()
    },
    stop: () => server.stop(),
  }
}
