import { setTimeout as delay } from 'node:timers/promises'
import type { Api } from './client/api.js'
import type { Environment } from './client/config.js'
import { type Connection, resolveConnection } from './client/connection.js'
import type { Context } from './context.js'
import type { Terminal } from './output.js'
import { terminalStyle } from './render/terminal-style.js'

export function createContext(
  terminal: Terminal,
  environment: Environment,
  version: string,
  options: () => { readonly profile?: string; readonly color: boolean },
): Context {
  let access: Connection | undefined
  let api: Promise<Api> | undefined
  let stop: AbortController | undefined
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    delay(ms, undefined, signal === undefined ? {} : { signal })
  const now = (): number => Date.now()
  const newId = (): string => crypto.randomUUID()
  const context: Context = {
    terminal,
    environment,
    version,
    now,
    sleep,
    newId,
    style: () => {
      const style = terminalStyle(terminal, now())
      return { ...style, color: style.color && options().color }
    },
    connection: () => {
      access ??= resolveConnection(environment, options().profile)
      return access
    },
    api: () => {
      api ??= import('./client/api.js').then(
        ({ Api }) =>
          new Api({
            connection: context.connection(),
            userAgent: `svc/${version}`,
            newIdempotencyKey: newId,
            now,
            sleep,
            onWait: (reason, seconds) =>
              terminal.err(`svc: ${reason}; again in ${Math.max(1, Math.round(seconds))} s\n`),
          }),
      )
      return api
    },
    interruptSignal: () => {
      if (stop === undefined) {
        const controller = new AbortController()
        stop = controller
        process.once('SIGINT', () => controller.abort())
      }
      return stop.signal
    },
    readStdin: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks).toString('utf8')
    },
  }
  return context
}
