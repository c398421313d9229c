import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../postgres/embedded/start.js'
import { freePort } from './network/free-port.js'

/** A separate Postgres server, which a test can kill and restart on its stored data. */
export interface PostgresServer {
  /** `postgres://user:password@host:port/database`; the same after every start. */
  readonly url: string
  /** Kills the server; its processes notice and leave, and no connection is taken until `restart`. */
  kill(): void
  /** Stops it, as an administrator does, and starts it again. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Serves the cluster in `dataDir`, and creates a missing one. The caller removes the folder. */
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
