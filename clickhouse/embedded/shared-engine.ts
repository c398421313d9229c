import type { MessagePort } from 'node:worker_threads'
import { settledOr } from '../abort.js'
import { cancelledError, closedError, toClickHouseError } from '../error-mapping.js'
import { ClickHouseError } from '../port.js'
import type { EmbeddedEngine, EngineRequest } from './engine.js'
import { removeScratchFile } from './scratch-files.js'

/** Messages from a client thread to the thread with the engine. */
type Question =
  | { readonly id: number; readonly ask: 'run'; readonly request: EngineRequest }
  | { readonly id: number; readonly ask: 'version'; readonly workspaceId: string }
  | { readonly id: number; readonly ask: 'ping' }
  | { readonly id: number; readonly ask: 'abort' }

type Answer =
  | { readonly id: number; readonly answer: Uint8Array }
  | { readonly id: number; readonly failure: Pick<ClickHouseError, 'message' | 'code' | 'type'> }

/** More than a thread writes while one of them waits for other rows. */
const MAX_FILES = 1_000

/** Answers another thread until its end of the port closes, and then kills what it has running. */
export function serveEngine(engine: EmbeddedEngine, port: MessagePort): void {
  const running = new Map<number, AbortController>()
  /** The newest files of the other thread, which may be there if it is killed. */
  const files: string[] = []
  port.on('message', (question: Question) => {
    if (question.ask === 'run') files.push(...question.request.files)
    files.splice(0, files.length - MAX_FILES)
    if (question.ask === 'abort') {
      running.get(question.id)?.abort()
      return
    }
    const abort = new AbortController()
    running.set(question.id, abort)
    answerOf(engine, question, abort.signal)
      .then(
        (bytes) => {
          // A copy, because only a whole buffer can be transferred.
          const answer = bytes === undefined ? new Uint8Array() : Uint8Array.from(bytes)
          port.postMessage({ id: question.id, answer } satisfies Answer, [answer.buffer])
        },
        (error: unknown) => {
          const { message, code, type } = toClickHouseError(error)
          port.postMessage({ id: question.id, failure: { message, code, type } } satisfies Answer)
        },
      )
      .finally(() => running.delete(question.id))
  })
  port.on('close', () => {
    for (const abort of running.values()) abort.abort()
    for (const file of files) removeScratchFile(file)
  })
  // The thread at the other end keeps the process alive.
  port.unref()
}

async function answerOf(
  engine: EmbeddedEngine,
  question: Exclude<Question, { readonly ask: 'abort' }>,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  if (question.ask === 'run') return engine.run(question.request, signal)
  if (question.ask === 'version')
    return Buffer.from((await engine.contentVersion(question.workspaceId)) ?? '')
  await engine.ping(signal)
  return undefined
}

/** A client of an engine in another thread. Closing it closes the port only. */
export function engineClient(port: MessagePort): EmbeddedEngine {
  const waiting = new Map<number, { resolve(answer: Uint8Array): void; reject(error: Error): void }>()
  let questions = 0
  let closed = false

  port.on('message', (answer: Answer) => {
    const waiter = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('answer' in answer) waiter?.resolve(answer.answer)
    else {
      const { message, code, type } = answer.failure
      waiter?.reject(new ClickHouseError(code, message, { type }))
    }
    if (closed && waiting.size === 0) port.close()
  })
  port.on('close', () => {
    closed = true
    for (const waiter of waiting.values()) waiter.reject(closedError())
    waiting.clear()
  })

  const ask = (question: (id: number) => Question, signal: AbortSignal | undefined): Promise<Uint8Array> => {
    if (signal?.aborted) return Promise.reject(cancelledError())
    const id = questions++
    const answered = new Promise<Uint8Array>((resolve, reject) => waiting.set(id, { resolve, reject }))
    port.postMessage(question(id))
    if (signal === undefined) return answered
    return settledOr(signal, answered, () => {
      port.postMessage({ id, ask: 'abort' } satisfies Question)
      return cancelledError()
    })
  }

  return {
    async run(request, signal) {
      if (closed || signal?.aborted) throw closed ? closedError() : cancelledError()
      return ask((id) => ({ id, ask: 'run', request }), signal)
    },
    async contentVersion(workspaceId) {
      if (closed) throw closedError()
      const version = await ask((id) => ({ id, ask: 'version', workspaceId }), undefined)
      return version.byteLength === 0 ? undefined : Buffer.from(version).toString()
    },
    async ping(signal) {
      if (closed) throw closedError()
      await ask((id) => ({ id, ask: 'ping' }), signal)
    },
    async close() {
      if (closed) return
      closed = true
      if (waiting.size === 0) port.close()
      else await new Promise<void>((resolve) => port.once('close', resolve))
    },
  }
}
