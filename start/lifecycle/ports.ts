import { createServer } from 'node:net'
import { errorCode } from '../../runtime/errors.js'

export class PortError extends Error {
  override readonly name = 'PortError'
}

/**
 * Checks that a port is free before the stores start. It also keeps the gateways of two services from sharing
 * a port unnoticed, which their sockets would allow.
 *
 * @throws PortError
 */
export async function requireFreePort(variable: string, host: string, port: number): Promise<void> {
  if (port === 0) return
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, exclusive: true }, resolve)
    })
  } catch (error) {
    throw new PortError(portProblem(variable, host, port, error))
  }
  await new Promise<void>((resolve) => server.close(() => resolve()))
}

function portProblem(variable: string, host: string, port: number, error: unknown): string {
  const code = errorCode(error)
  const way = `set ${variable} to another port, or to 0 for any free one`
  if (code === 'EADDRINUSE') return `port ${port} on ${host} is taken: stop what listens there, or ${way}`
  if (code === 'EACCES') return `port ${port} on ${host} is not allowed to this user: ${way}`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is not an address of this machine: set ${variable === 'SVC_ADMIN_PORT' ? 'SVC_ADMIN_HOST' : 'SVC_HOST'} to one that is`
  return `port ${port} on ${host} cannot be used (${String(code ?? error)}): ${way}`
}
