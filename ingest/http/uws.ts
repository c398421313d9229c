import uWS from 'uWebSockets.js'

export type { HttpRequest, HttpResponse } from 'uWebSockets.js'

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
  /** Accepts no new connections; existing ones go on. */
  stopListening(): void
  closeConnections(): void
}

/**
 * The only file that imports the HTTP server. `packages/uwebsockets` chooses its build.
 *
 * @param exclusivePort false lets several processes listen on the same port
 * @throws if the build has no binary for this system, or the address is not available
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
                `cannot listen on ${options.host}:${port}: the port is in use, or this machine does not have the address`,
              ),
            )
          return
        }
        const actual = uWS.us_socket_local_port(socket)
        // A port that the system chose can be neither shared nor, for a minute after a kill, reused: the
        // server sets SO_REUSEADDR and SO_REUSEPORT only for an explicit number.
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
