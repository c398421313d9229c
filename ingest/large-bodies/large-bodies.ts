import { setMaxListeners } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Sender } from '../../domain/event.js'
import type { WorkspaceHashKeys } from '../../log/record.js'
import { FairQueue, QueueTimeoutError } from '../../runtime/concurrency/fair-queue.js'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import type { DecodeResult } from '../decode/decode.js'
import type { EncodedRequest } from '../decode/fast-path/decoder.js'
import type { AliasShape } from '../decode/validate.js'
import type { ForeignCall } from '../formats/encode-foreign.js'
import { type IngestRefusal, TOO_MUCH_AT_ONCE, unavailableRefusal } from '../http/errors.js'

/** Decoding a larger body may take a second, so it happens on a thread beside the gateway's. */
export const LARGE_BODY_BYTES = 512 * 1024
const MAX_WAIT_MS = 10_000
/** Twice what the largest body needs. Without a bound, garbage of several such bodies stays. */
const THREAD_HEAP_MB = 320
const THREAD_FAILED = unavailableRefusal(
  'the body could not be read right now; nothing was recorded: send the request again, in smaller parts if that fails',
)

export interface DecoderLayout {
  readonly partitions: number
}

/** Bodies that are always parsed: other products' formats, and ours with warnings. */
export type ParsedFormat = ForeignCall | 'warnings'

export type ThreadRequest =
  | {
      readonly kind: 'events'
      readonly body: Uint8Array<ArrayBuffer>
      readonly sender: Sender
      readonly keys: WorkspaceHashKeys
    }
  | { readonly kind: 'alias'; readonly body: Uint8Array<ArrayBuffer> }
  | {
      readonly kind: 'parsed'
      readonly format: ParsedFormat
      readonly body: Uint8Array<ArrayBuffer>
      readonly sender: Sender
      readonly keys: WorkspaceHashKeys
    }

export interface ThreadResponse {
  readonly decoded: DecodeResult<EncodedRequest> | DecodeResult<AliasShape>
  /** See `wastedBytes`. */
  readonly wasted: number
}

/** A decoded body, and the work in bytes that it caused for nothing. */
export interface LargeBody<Value> {
  readonly decoded: DecodeResult<Value>
  readonly wasted: number
}

interface Thread {
  readonly worker: Worker
  waiting: { resolve(response: ThreadResponse): void; reject(error: unknown): void } | undefined
}

/** Decodes large bodies on a thread, one at a time; workspaces take turns. */
export class LargeBodies {
  private thread: Thread | undefined
  private readonly queue = new FairQueue(1, 1, 0, MAX_WAIT_MS)
  private readonly stopping = new AbortController()

  constructor(private readonly options: { readonly log: DecoderLayout; readonly logger: Logger }) {
    setMaxListeners(0, this.stopping.signal)
  }

  /** @param isWanted whether the client still waits; asked when its turn has come */
  encode(
    body: Buffer,
    sender: Sender,
    keys: WorkspaceHashKeys,
    isWanted: () => boolean,
  ): Promise<LargeBody<EncodedRequest>> {
    const request = { kind: 'events', body: new Uint8Array(body), sender, keys } as const
    return this.ask(sender.workspaceId, request, isWanted) as Promise<LargeBody<EncodedRequest>>
  }

  /** @returns what the encoder of the format makes of the body */
  encodeParsed<Request extends EncodedRequest>(
    format: ParsedFormat,
    body: Buffer,
    sender: Sender,
    keys: WorkspaceHashKeys,
    isWanted: () => boolean,
  ): Promise<LargeBody<Request>> {
    const request = { kind: 'parsed', format, body: new Uint8Array(body), sender, keys } as const
    return this.ask(sender.workspaceId, request, isWanted) as Promise<LargeBody<Request>>
  }

  decodeAlias(body: Buffer, workspaceId: string, isWanted: () => boolean): Promise<LargeBody<AliasShape>> {
    const request = { kind: 'alias', body: new Uint8Array(body) } as const
    return this.ask(workspaceId, request, isWanted) as Promise<LargeBody<AliasShape>>
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await this.thread?.worker.terminate()
  }

  private async ask(
    workspaceId: string,
    request: ThreadRequest,
    isWanted: () => boolean,
  ): Promise<ThreadResponse> {
    try {
      return await this.queue.run(
        workspaceId,
        async () => (isWanted() ? await this.run(request) : refused(THREAD_FAILED)),
        this.stopping,
      )
    } catch (error) {
      if (error instanceof QueueTimeoutError) return refused(TOO_MUCH_AT_ONCE)
      this.options.logger.error({ error: errorMessage(error) }, 'Large body not decoded: request refused')
      return refused(THREAD_FAILED)
    }
  }

  private run(request: ThreadRequest): Promise<ThreadResponse> {
    this.thread ??= this.start()
    const { thread } = this
    return new Promise((resolve, reject) => {
      thread.waiting = { resolve, reject }
      thread.worker.postMessage(request, [request.body.buffer])
    })
  }

  private start(): Thread {
    const worker = new Worker(new URL('./thread.js', import.meta.url), {
      workerData: { partitions: this.options.log.partitions } satisfies DecoderLayout,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    })
    worker.unref()
    const thread: Thread = { worker, waiting: undefined }
    const end = (error: unknown): void => {
      if (this.thread === thread) this.thread = undefined
      thread.waiting?.reject(error)
    }
    worker.on('message', (response: ThreadResponse) => thread.waiting?.resolve(response))
    worker.on('error', end)
    worker.on('exit', () => end(new Error('the thread that decodes large bodies has ended')))
    return thread
  }
}

function refused(refusal: IngestRefusal): ThreadResponse {
  return { decoded: { ok: false, refusal }, wasted: 0 }
}
