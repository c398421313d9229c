import uWS from 'uWebSockets.js'

export type { HttpRequest, HttpResponse } from 'uWebSockets.js'

/** What the server has beyond the types it ships: a host with options. */
type App = uWS.TemplatedApp & {
  listen(
    host: string,
    port: number,
    options: number,
    listening: (socket: uWS.us_listen_socket | false) => void,
  ): uWS.TemplatedApp
}

const DEFAULT_PORT = 0
const EXCLUSIVE_PORT = 1
const FREE_PORT_TRIES = 10

export interface HttpListener {
  readonly port: number
  /** No new connections; those there are go on. */
  stopListening(): void
  /** Closes every connection, answered or not. */
  closeConnections(): void
}

/**
 * The only file that knows the HTTP server. `packages/uwebsockets` says which of its builds that is.
 *
 * @param exclusivePort false lets several processes listen on the same port
 * @throws where the build has no binary for this system, or the address cannot be had
 */
export function listenHttp(options: {
  readonly host: string
  readonly port: number
  readonly exclusivePort: boolean
  readonly handle: (res: uWS.HttpResponse, req: uWS.HttpRequest) => void
}): Promise<HttpListener> {
  const app = uWS.App() as App
  app.any('/*', options.handle)
  const option = options.exclusivePort ? EXCLUSIVE_PORT : DEFAULT_PORT
  return new Promise((resolve, reject) => {
    const listen = (port: number, triesLeft: number): void => {
      app.listen(options.host, port, option, (socket) => {
        if (socket === false) {
          if (options.port === 0 && triesLeft > 0) listen(0, triesLeft - 1)
          else
            reject(
              new Error(
                `cannot listen on ${options.host}:${port}: the port is taken or the address is not this machine's`,
              ),
            )
          return
        }
        const actual = uWS.us_socket_local_port(socket)
        // A port that the system chose while listening could neither be shared nor, for a minute after a kill, be taken again: only for a number that is
        // given does the server set SO_REUSEADDR and SO_REUSEPORT.
        if (port === 0) {
          uWS.us_listen_socket_close(socket)
          listen(actual, triesLeft)
          return
        }
        let listening = true
        const stopListening = (): void => {
          if (listening) uWS.us_listen_socket_close(socket)
          listening = false
        }
        resolve({
          port: actual,
          stopListening,
          closeConnections: () => {
            stopListening()
            app.close()
          },
        })
      })
    }
    listen(options.port, FREE_PORT_TRIES)
  })
}
