import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Batch } from '../../../generators/batch.js'
import type { Revised } from '../../../generators/port.js'
import type { RepositoryHost } from '../../../repositories/port.js'
import { deadlineSignal } from '../../../runtime/concurrency/deadline-signal.js'
import { errorMessage } from '../../../runtime/errors.js'
import { JobError, permanent } from '../../jobs/failure.js'
import type { BatchTask, CodeFile, RevisionTask, Said, Task, ThinkingStep, Told } from './messages.js'

/** Of the thread's heap: beyond it the thread ends, and the service goes on. */
const MEMORY_MB = 512
/** Of that part of it in which trees of files come and go: with less the collector takes a tenth of the time. */
const YOUNG_MB = 96
/** One task may take so long. */
const LIMIT_MS = 30 * 60_000
/** A thread that does not stop when told is ended. */
const STOP_MS = 5_000
/** Files are passed on in parts: the thread that answers requests is busy for a few milliseconds at a time. */
const PART = 2_000
/** Larger files are built, or data. */
const MAX_BLOB_BYTES = 1024 * 1024
/** A thread that ends with a task may have ended because of another one's: it is tried again, so often in all. */
const MAX_LOST = 3

/** What a task needs beside itself. */
export interface Surroundings {
  readonly host: Pick<RepositoryHost, 'readBlobs'>
  readonly files: readonly CodeFile[]
  readonly signal: AbortSignal
  /** The how manieth try this is, from 1. */
  readonly attempt: number
  readonly onStep: (step: ThinkingStep, share: number) => void
}

/**
 * Thinks of a batch of proposals, on a thread of its own that all tasks share. Rejects with RepositoryError where code cannot be read, with the signal's
 * reason where it is told to stop, else with JobError.
 */
export function thinkOfBatch(task: BatchTask, surroundings: Surroundings): Promise<Batch> {
  return think(task, surroundings) as Promise<Batch>
}

/** Rewrites a proposal; rejects as `thinkOfBatch` does. */
export function reviseProposal(task: RevisionTask, surroundings: Surroundings): Promise<Revised> {
  return think(task, surroundings) as Promise<Revised>
}

interface Waiting {
  readonly surroundings: Surroundings
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface Thread {
  readonly worker: Worker
  readonly waiting: Map<number, Waiting>
}

let current: Thread | undefined
let tasks = 0

async function think(task: Task, surroundings: Surroundings): Promise<unknown> {
  const { files, signal } = surroundings
  signal.throwIfAborted()
  current ??= startThread()
  const thread = current
  const id = ++tasks
  const late = deadlineSignal(LIMIT_MS)
  const both = AbortSignal.any([signal, late])
  const value = new Promise((resolve, reject) => {
    thread.waiting.set(id, { surroundings, resolve, reject })
  })
  // It is met below, after the files have been passed on.
  value.catch(() => {})
  thread.worker.ref()
  const stop = (): void => {
    tell(thread, { id, kind: 'abort' })
    thread.waiting.get(id)?.reject(late.aborted ? permanent('it took longer than half an hour') : both.reason)
    setTimeout(() => {
      if (thread.waiting.has(id)) end(thread, new Error('another task did not stop'))
    }, STOP_MS).unref()
  }
  both.addEventListener('abort', stop, { once: true })
  try {
    tell(thread, { id, kind: 'begin', task })
    for (let from = 0; from === 0 || from < files.length; from += PART) {
      const last = from + PART >= files.length
      tell(thread, { id, kind: 'files', files: files.slice(from, from + PART), last })
      await turn()
    }
    return await value
  } finally {
    both.removeEventListener('abort', stop)
  }
}

const tell = ({ worker }: Thread, told: Told, transfer: readonly ArrayBuffer[] = []): void =>
  worker.postMessage(told, transfer)

/** Started when it is needed first, and kept with what it has learnt. */
function startThread(): Thread {
  const worker = new Worker(new URL('./thread.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  })
  const thread: Thread = { worker, waiting: new Map() }
  worker.on('message', (said: Said) => hear(thread, said))
  worker.on('error', (error) => end(thread, error))
  worker.on('exit', () => end(thread, new Error('it ended')))
  return thread
}

function hear(thread: Thread, said: Said): void {
  const waiting = thread.waiting.get(said.id)
  if (waiting === undefined) return
  if (said.kind === 'step') {
    if (!waiting.surroundings.signal.aborted) waiting.surroundings.onStep(said.step, said.share)
    return
  }
  if (said.kind === 'read') return void passOn(thread, said, waiting)
  thread.waiting.delete(said.id)
  // Nobody waits for it any more: it keeps no process alive.
  if (thread.waiting.size === 0) thread.worker.unref()
  if (said.kind === 'done') waiting.resolve(said.value)
  else waiting.reject(permanent(said.message))
}

/** Reads what the thread asks for, and passes it on. Never rejects. */
async function passOn(
  thread: Thread,
  { id, ask, blobs }: Said & { readonly kind: 'read' },
  { surroundings: { host, signal }, reject }: Waiting,
): Promise<void> {
  try {
    const found = new Map<string, Uint8Array<ArrayBuffer>>()
    // What was read may be a piece of something larger, which would go along.
    for await (const blob of host.readBlobs(blobs, { maxBlobBytes: MAX_BLOB_BYTES, signal }))
      if (blob.state === 'read') found.set(blob.id, new Uint8Array(blob.content))
    const contents = blobs.map((blob) => found.get(blob) ?? null)
    tell(
      thread,
      { id, kind: 'blobs', ask, contents },
      [...found.values()].map(({ buffer }) => buffer),
    )
  } catch (error) {
    // As it is: whether trying again can help stands in it.
    reject(error)
    tell(thread, { id, kind: 'unread', ask })
  }
}

function end(thread: Thread, error: unknown): void {
  if (current === thread) current = undefined
  for (const { surroundings, reject } of thread.waiting.values()) {
    const reason = `what thinks of proposals has ended: ${errorMessage(error)}`
    reject(new JobError(reason, { retryable: surroundings.attempt < MAX_LOST, cause: error }))
  }
  thread.waiting.clear()
  void thread.worker.terminate()
}
