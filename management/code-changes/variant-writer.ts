import { Worker } from 'node:worker_threads'
import type { CleanedUp, CleanUpRequest, WriteRequest, Written } from '../../variants/port.js'

export interface VariantRequest {
  readonly id: number
  readonly question:
    | { readonly kind: 'write'; readonly request: WriteRequest }
    | { readonly kind: 'clean'; readonly request: CleanUpRequest }
}

export interface VariantResponse {
  readonly id: number
  readonly value?: Written | CleanedUp
  readonly failure?: string
}

/** Limit for one file. After that its thread is terminated, and the next request starts a new one. */
const LIMIT_MS = 30_000

interface Thread {
  readonly worker: Worker
  readonly waiting: Map<number, { resolve(value: unknown): void; reject(error: Error): void }>
}

let current: Thread | undefined
let asked = 0

/** `writeVariants` of variants/ on a worker thread. Rejects if the thread ends. */
export function writeVariantsOnThread(request: WriteRequest): Promise<Written> {
  return ask({ kind: 'write', request }) as Promise<Written>
}

/** `cleanUp` of variants/ on a worker thread. Rejects if the thread ends. */
export function cleanUpOnThread(request: CleanUpRequest): Promise<CleanedUp> {
  return ask({ kind: 'clean', request }) as Promise<CleanedUp>
}

function ask(question: VariantRequest['question']): Promise<unknown> {
  current ??= startThread()
  const thread = current
  const id = ++asked
  return new Promise((resolve, reject) => {
    const limit = setTimeout(
      () => end(thread, new Error(`writing a file took longer than ${LIMIT_MS / 1_000} s`)),
      LIMIT_MS,
    )
    const over = () => {
      clearTimeout(limit)
      thread.waiting.delete(id)
      // An idle thread must not keep the process alive.
      if (thread.waiting.size === 0) thread.worker.unref()
    }
    thread.waiting.set(id, {
      resolve(value) {
        over()
        resolve(value)
      },
      reject(error) {
        over()
        reject(error)
      },
    })
    thread.worker.ref()
    thread.worker.postMessage({ id, question } satisfies VariantRequest)
  })
}

function startThread(): Thread {
  const worker = new Worker(new URL('./variant-worker.js', import.meta.url))
  const thread: Thread = { worker, waiting: new Map() }
  worker.on('message', ({ id, value, failure }: VariantResponse) => {
    const waiting = thread.waiting.get(id)
    if (failure === undefined) waiting?.resolve(value)
    else waiting?.reject(new Error(failure))
  })
  worker.on('error', (error) => end(thread, error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', () => end(thread, new Error('the worker thread that writes files has ended')))
  return thread
}

function end(thread: Thread, error: Error): void {
  if (current === thread) current = undefined
  for (const { reject } of [...thread.waiting.values()]) reject(error)
  void thread.worker.terminate()
}
