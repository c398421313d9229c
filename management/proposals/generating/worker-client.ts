import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Batch } from '../../../generators/batch.js'
import type { AskedQuestion, Revised } from '../../../generators/port.js'
import type { RepositoryHost } from '../../../repositories/port.js'
import { deadlineSignal } from '../../../runtime/concurrency/deadline-signal.js'
import { errorMessage } from '../../../runtime/errors.js'
import { JobError, permanent } from '../../jobs/failure.js'
import type {
  BatchTask,
  CodeFile,
  GenerationStep,
  GenerationTask,
  WorkerRequest,
  WorkerResponse,
} from './messages.js'

/** Maximum heap of the thread. Beyond it the thread ends, and the service goes on. */
const MEMORY_MB = 512
/** Young generation, in which syntax trees live. With less, garbage collection takes a tenth of the time. */
const YOUNG_MB = 96
/** Maximum time of one task. */
const LIMIT_MS = 30 * 60_000
/** A thread that does not stop in this time after an abort is terminated. */
const STOP_MS = 5_000
/** Files are sent in parts, so that the thread that answers requests is busy for a few milliseconds only. */
const PART = 2_000
/** Larger files are built or data, and are not read. */
const MAX_BLOB_BYTES = 1024 * 1024
/** Attempts of a task whose thread ended, perhaps because of another task. */
const MAX_LOST = 3

/** The repository, signal and progress callback of a task. */
export interface WorkerContext {
  readonly host: Pick<RepositoryHost, 'readBlobs'>
  readonly files: readonly CodeFile[]
  readonly signal: AbortSignal
  /** Attempt number, starting at 1. */
  readonly attempt: number
  readonly onStep: (step: GenerationStep, share: number) => void
  readonly onQuestion?: ((question: AskedQuestion) => void) | undefined
}

interface Waiting {
  readonly context: WorkerContext
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface Thread {
  readonly worker: Worker
  readonly waiting: Map<number, Waiting>
}

let current: Thread | undefined
let tasks = 0

/**
 * Generates a batch of proposals, or revises one, on a worker thread that all tasks share.
 *
 * @throws RepositoryError if code cannot be read, the signal's reason if it is aborted, else JobError
 */
export async function generateInWorker<Task extends GenerationTask>(
  task: Task,
  context: WorkerContext,
): Promise<Task extends BatchTask ? Batch : Revised> {
  const { files, signal } = context
  signal.throwIfAborted()
  current ??= startThread()
  const thread = current
  const id = ++tasks
  const late = deadlineSignal(LIMIT_MS)
  const both = AbortSignal.any([signal, late])
  const value = new Promise<Task extends BatchTask ? Batch : Revised>((resolve, reject) => {
    thread.waiting.set(id, { context, resolve, reject })
  })
  // Attach a no-op catch, because the promise is awaited only after the files are sent.
  value.catch(() => {})
  thread.worker.ref()
  const stop = (): void => {
    post(thread, { id, kind: 'abort' })
    thread.waiting.get(id)?.reject(late.aborted ? permanent('it took longer than half an hour') : both.reason)
    setTimeout(() => {
      if (thread.waiting.has(id)) end(thread, new Error('another task did not stop'))
    }, STOP_MS).unref()
  }
  both.addEventListener('abort', stop, { once: true })
  try {
    post(thread, { id, kind: 'begin', task })
    for (let from = 0; from === 0 || from < files.length; from += PART) {
      const last = from + PART >= files.length
      post(thread, { id, kind: 'files', files: files.slice(from, from + PART), last })
      await turn()
    }
    return await value
  } finally {
    both.removeEventListener('abort', stop)
  }
}

const post = ({ worker }: Thread, request: WorkerRequest, transfer: readonly ArrayBuffer[] = []): void =>
  worker.postMessage(request, transfer)

/** Started on first use, and kept with its cache. */
function startThread(): Thread {
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  })
  const thread: Thread = { worker, waiting: new Map() }
  worker.on('message', (response: WorkerResponse) => onMessage(thread, response))
  worker.on('error', (error) => end(thread, error))
  worker.on('exit', () => end(thread, new Error('it ended')))
  return thread
}

function onMessage(thread: Thread, response: WorkerResponse): void {
  const waiting = thread.waiting.get(response.id)
  if (waiting === undefined) return
  if (response.kind === 'step') {
    if (!waiting.context.signal.aborted) waiting.context.onStep(response.step, response.share)
    return
  }
  if (response.kind === 'asked') {
    waiting.context.onQuestion?.(response.question)
    return
  }
  if (response.kind === 'read') return void passOn(thread, response, waiting)
  thread.waiting.delete(response.id)
  // An idle thread must not keep the process alive.
  if (thread.waiting.size === 0) thread.worker.unref()
  if (response.kind === 'done') waiting.resolve(response.value)
  else waiting.reject(permanent(response.message))
}

/** Reads the blobs that the thread requests and sends them. Never rejects. */
async function passOn(
  thread: Thread,
  { id, ask, blobs }: WorkerResponse & { readonly kind: 'read' },
  { context: { host, signal }, reject }: Waiting,
): Promise<void> {
  try {
    const found = new Map<string, Uint8Array<ArrayBuffer>>()
    // Copied, because the content may be a view of a larger buffer, which would be transferred whole.
    for await (const blob of host.readBlobs(blobs, { maxBlobBytes: MAX_BLOB_BYTES, signal }))
      if (blob.state === 'read') found.set(blob.id, new Uint8Array(blob.content))
    const contents = blobs.map((blob) => found.get(blob) ?? null)
    post(
      thread,
      { id, kind: 'blobs', ask, contents },
      [...found.values()].map(({ buffer }) => buffer),
    )
  } catch (error) {
    // Passed on unchanged: the error says whether it is retryable.
    reject(error)
    post(thread, { id, kind: 'unread', ask })
  }
}

function end(thread: Thread, error: unknown): void {
  if (current === thread) current = undefined
  for (const { context, reject } of thread.waiting.values()) {
    const reason = `the worker thread has ended: ${errorMessage(error)}`
    reject(new JobError(reason, { retryable: context.attempt < MAX_LOST, cause: error }))
  }
  thread.waiting.clear()
  void thread.worker.terminate()
}
