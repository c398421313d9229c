import { errorMessage } from './errors.js'
import type { Check, Stage } from './stage.js'

/** One end of a message channel: the IPC of a child process or the port of a worker thread. */
export interface Channel {
  post(message: unknown): void
  listen(receive: (message: unknown) => void): void
}

type Call = 'checks' | 'metrics' | 'stop'
type Metrics = Awaited<ReturnType<Stage['metrics']>>

type ToStage = { readonly id: number; readonly call: Call }
type FromStage =
  | { readonly kind: 'ready'; readonly name: Stage['name']; readonly url: string | undefined }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'answer'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly message: string }

/** In the child: announces a started stage and answers the parent's calls. */
export function serveStage(stage: Stage, channel: Channel, stopped: () => void): void {
  channel.listen((message) => {
    const { id, call } = message as ToStage
    if (call !== 'checks' && call !== 'metrics' && call !== 'stop') return
    void stage[call]().then(
      (result) => {
        channel.post({ kind: 'answer', id, result })
        if (call === 'stop') stopped()
      },
      (error: unknown) => {
        channel.post({ kind: 'refusal', id, message: errorMessage(error) })
        if (call === 'stop') stopped()
      },
    )
  })
  channel.post({ kind: 'ready', name: stage.name, url: stage.url })
}

/** In the child: reports why the stage did not start. */
export function reportFailure(channel: Channel, error: unknown): void {
  channel.post({ kind: 'failed', message: errorMessage(error) })
}

export interface LinkedStage extends Stage {
  /** To be called when the child has ended: rejects pending and later calls. */
  ended(reason: string): void
}

/** In the parent: `ready` resolves with the stage, or rejects with the reason that the child reports. */
export function linkStage(channel: Channel): {
  readonly ready: Promise<LinkedStage>
  ended(reason: string): void
} {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let nextId = 1
  let over: string | undefined
  let started: ((stage: LinkedStage) => void) | undefined
  let refused: ((error: Error) => void) | undefined
  const ready = new Promise<LinkedStage>((resolve, reject) => {
    started = resolve
    refused = reject
  })
  const call = (name: Call): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (over !== undefined) {
        reject(new Error(over))
        return
      }
      const id = nextId++
      waiting.set(id, { resolve, reject })
      channel.post({ id, call: name } satisfies ToStage)
    })
  const ended = (reason: string): void => {
    over = reason
    refused?.(new Error(reason))
    for (const { reject } of waiting.values()) reject(new Error(reason))
    waiting.clear()
  }
  channel.listen((raw) => {
    const message = raw as FromStage
    if (message.kind === 'ready')
      started?.({
        name: message.name,
        url: message.url,
        checks: async () => (await call('checks')) as Check[],
        metrics: async () => (await call('metrics')) as Metrics,
        stop: async () => {
          await call('stop')
        },
        ended,
      })
    else if (message.kind === 'failed') refused?.(new Error(message.message))
    else {
      const waiter = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.kind === 'answer') waiter?.resolve(message.result)
      else waiter?.reject(new Error(message.message))
    }
  })
  return { ready, ended }
}
