import { MAX_AGE_MS } from '../../domain/clamp.js'
import { type ErrorResponse, refusalError } from '../client/error-response.js'
import { CommandError, refusedError } from '../command-error.js'
import type { PostResult } from './post.js'
import type { RefusedLine, SendProgress } from './progress-file.js'
import type { SourceRecord } from './records.js'
import type { ContentPosition } from './source.js'

export interface SenderOptions {
  readonly post: (events: readonly string[]) => Promise<PostResult>
  readonly sleep: (ms: number) => Promise<void>
  readonly now: () => number
  /** The end of the record that was read last. */
  readonly position: () => ContentPosition
  /** True once no new request may start. Requests in flight finish. */
  readonly isStopping: () => boolean
  /** Requests at a time, at most. */
  readonly maxConcurrency?: number | undefined
  /** Gives up after this time without success. */
  readonly giveUpAfterMs: number
  /** In the order of the file. */
  readonly onProgress: (progress: SendProgress) => void
  readonly onWait: (reason: string, ms: number) => void
}

export interface SendResult extends SendProgress {
  /** Accepted after a gap, beyond `line`. They are sent again on resume, and recorded once. */
  readonly acceptedBeyond: number
  /** Lines neither accepted nor refused. Undefined if the file could not be read to its end. */
  readonly notSent: number | undefined
  /** The last line that was read. */
  readonly lastLine: number
  readonly failure: CommandError | undefined
}

const EVENTS_PER_REQUEST = 500
/** The service accepts twice as much. */
const CHARACTERS_PER_REQUEST = 4_000_000
const INITIAL_CONCURRENCY = 4
const MAX_CONCURRENCY = 16
const BATCHES_PER_INCREASE = 8
const INITIAL_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 15_000
/** If the service asks for a longer wait, give up. */
const MAX_RETRY_AFTER_SECONDS = 120

type Line = Extract<SourceRecord, { json: string }>

interface Batch {
  readonly lines: Line[]
  lastLine: number
  position: ContentPosition
  accepted: number
  old: number
  readonly refused: RefusedLine[]
  notSent: number
  done: boolean
}

/**
 * Sends records in concurrent batches, as many as the service accepts without throttling. Refused lines are
 * removed and the rest of their batch is sent again.
 */
export class EventSender {
  private readonly queue: Batch[] = []
  private concurrency: number
  private successStreak = 0
  private waitUntil = 0
  private lastSuccessAt: number
  private failure: CommandError | undefined
  /** Ended the reading. The batches before it are still sent, so it is no `failure` yet. */
  private fault: CommandError | undefined
  private progress: SendProgress

  constructor(
    private readonly options: SenderOptions,
    from: SendProgress,
  ) {
    this.progress = from
    this.concurrency = Math.min(INITIAL_CONCURRENCY, this.maxConcurrency)
    this.lastSuccessAt = options.now()
  }

  /**
   * @param records the whole file; lines that were sent before are skipped. If reading them fails, the lines
   *   before the fault are sent
   */
  async send(records: AsyncIterable<SourceRecord>): Promise<SendResult> {
    const underWay = new Set<Promise<void>>()
    const from = this.progress.line
    let lastLine = from
    let unread = 0
    let batch = newBatch()
    let characters = 0
    const begin = async (): Promise<void> => {
      const ready = Object.assign(batch, { position: this.options.position() })
      batch = newBatch()
      characters = 0
      this.queue.push(ready)
      const work = this.deliver(ready).finally(() => underWay.delete(work))
      underWay.add(work)
      while (underWay.size >= this.concurrency) await Promise.race(underWay)
    }
    for await (const record of this.untilFault(records)) {
      if (record.line <= from) continue
      lastLine = record.line
      if (this.isEnding()) {
        unread++
        continue
      }
      const isLine = 'json' in record
      if (isLine && batch.lines.length > 0 && characters + record.json.length > CHARACTERS_PER_REQUEST)
        await begin()
      batch.lastLine = record.line
      if (isLine) {
        batch.lines.push(record)
        characters += record.json.length
      } else batch.refused.push({ line: record.line, field: record.field, message: record.problem })
      if (batch.lines.length >= EVENTS_PER_REQUEST) await begin()
    }
    if (batch.lastLine > 0) await begin()
    await Promise.all(underWay)
    const notSent = unread + this.queue.reduce((sum, batch) => sum + batch.notSent, 0)
    return {
      ...this.progress,
      refused: [...this.progress.refused, ...this.queue.flatMap(({ refused }) => refused)],
      acceptedBeyond: this.queue.reduce((sum, { accepted }) => sum + accepted, 0),
      notSent: this.fault === undefined ? notSent : undefined,
      lastLine,
      failure: this.failure ?? this.fault,
    }
  }

  private async *untilFault(records: AsyncIterable<SourceRecord>): AsyncGenerator<SourceRecord> {
    try {
      yield* records
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      this.fault = error
    }
  }

  private get maxConcurrency(): number {
    return this.options.maxConcurrency ?? MAX_CONCURRENCY
  }

  private isEnding(): boolean {
    return this.failure !== undefined || this.options.isStopping()
  }

  private async deliver(batch: Batch): Promise<void> {
    await this.deliverLines(batch, batch.lines)
    batch.done = true
    // Progress advances in file order: a finished batch waits for the ones before it.
    for (let first = this.queue[0]; first?.done && first.notSent === 0; first = this.queue[0]) {
      this.queue.shift()
      this.progress = {
        ...this.progress,
        line: first.lastLine,
        position: first.position,
        accepted: this.progress.accepted + first.accepted,
        old: this.progress.old + first.old,
        refused:
          first.refused.length === 0 ? this.progress.refused : [...this.progress.refused, ...first.refused],
      }
      this.options.onProgress(this.progress)
    }
  }

  private async deliverLines(batch: Batch, lines: readonly Line[]): Promise<void> {
    const { options } = this
    let pause = INITIAL_BACKOFF_MS
    while (lines.length > 0) {
      // When one request is throttled, all wait.
      while (!this.isEnding() && this.waitUntil > options.now())
        await options.sleep(this.waitUntil - options.now())
      if (this.isEnding()) break
      const posted = await options.post(lines.map(({ json }) => json))
      if (posted.kind === 'accepted') {
        batch.accepted += lines.length
        batch.old += lines.filter(({ timestamp }) => isOld(timestamp, options.now())).length
        this.recordSuccess()
        return
      }
      const refusal = posted.kind === 'refused' ? posted.refusal : undefined
      if (refusal !== undefined && [400, 413].includes(refusal.status)) {
        this.recordSuccess()
        const rest = removeRejected(batch, lines, refusal)
        if (rest !== undefined) {
          lines = rest
          continue
        }
        const half = Math.ceil(lines.length / 2)
        await this.deliverLines(batch, lines.slice(0, half))
        lines = lines.slice(half)
        continue
      }
      if (refusal !== undefined && refusal.status < 500 && refusal.status !== 429) {
        this.failure ??= refusalError(refusal)
        break
      }
      const wait = refusal?.retryAfter === undefined ? pause : refusal.retryAfter * 1_000
      const tired = options.now() - this.lastSuccessAt > options.giveUpAfterMs
      if (refusal !== undefined && (tired || (refusal.retryAfter ?? 0) > MAX_RETRY_AFTER_SECONDS)) {
        this.failure ??= refusalError(refusal)
        break
      }
      if (tired) {
        const reason = posted.kind === 'unclear' ? posted.reason : ''
        this.failure ??= refusedError(`the ingestion API does not answer: ${reason}`)
        break
      }
      this.backOff(wait)
      options.onWait(
        refusal === undefined ? (posted.kind === 'unclear' ? posted.reason : '') : refusal.code,
        wait,
      )
      pause = Math.min(pause * 2, MAX_BACKOFF_MS)
    }
    batch.notSent += lines.length
  }

  private recordSuccess(): void {
    this.lastSuccessAt = this.options.now()
    if (++this.successStreak % BATCHES_PER_INCREASE === 0)
      this.concurrency = Math.min(this.maxConcurrency, this.concurrency + 1)
  }

  private backOff(wait: number): void {
    this.successStreak = 0
    const until = this.options.now() + wait
    // Requests that were throttled together reduce the concurrency once.
    if (this.waitUntil < this.options.now()) this.concurrency = Math.max(1, Math.floor(this.concurrency / 2))
    this.waitUntil = Math.max(this.waitUntil, until)
  }
}

function newBatch(): Batch {
  return {
    lines: [],
    lastLine: 0,
    position: { bytes: 0, sha256: '' },
    accepted: 0,
    old: 0,
    refused: [],
    notSent: 0,
    done: false,
  }
}

/** Whether the service moves a time in milliseconds to seven days before the receipt. */
export function isOld(timestamp: number | undefined, now: number): boolean {
  return timestamp !== undefined && timestamp < now - MAX_AGE_MS
}

/** Removes the lines that the error names. Undefined if it names none, to halve the batch. */
function removeRejected(
  batch: Batch,
  lines: readonly Line[],
  refusal: ErrorResponse,
): readonly Line[] | undefined {
  const named = new Map<number, RefusedLine>()
  for (const { path, message } of refusal.details) {
    const match = /^\/events\/(\d+)(?:\/(.*))?$/.exec(path)
    const line = lines[Number(match?.[1])]
    if (match === null || line === undefined || named.has(Number(match[1]))) continue
    const field = (match[2] ?? '').replaceAll('/', '.')
    named.set(Number(match[1]), {
      line: line.line,
      field,
      message: message.replace(/^events\[\d+\]\S*\s+/, ''),
    })
  }
  const [only] = lines
  if (named.size === 0 && lines.length === 1 && only !== undefined)
    named.set(0, { line: only.line, field: '', message: refusal.message.replace(/^events\[\d+\]\S*\s+/, '') })
  if (named.size === 0) return undefined
  batch.refused.push(...named.values())
  return lines.filter((_, at) => !named.has(at))
}
