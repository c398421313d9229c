import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { formatCount, formatDuration } from '../../domain/text/format.js'
import { normalizeUrl } from '../client/connection.js'
import { CommandError, refusedError, unauthenticatedError, usageError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { escapeControls, printJson } from '../output.js'
import { type Progress, startProgress } from '../render/progress.js'
import { colorize } from '../render/terminal-style.js'
import { postEvents } from './post.js'
import { ProgressFile, type RefusedLine, type SendProgress } from './progress-file.js'
import { FORMAT_HINT, type RecordReading, readRecords, type SourceRecord } from './records.js'
import { scanFile } from './scan.js'
import { EventSender, type SendResult } from './sender.js'
import { ContentHash, type EventInput, NOT_UTF8, openSource } from './source.js'
import { WarningTally } from './warning-tally.js'

interface Options extends CommonOptions {
  readonly csv?: boolean
  readonly patience?: number
}

const DEFAULT_GIVE_UP_SECONDS = 300
/** How long requests in flight may take after ^C. */
const SHUTDOWN_GRACE_MS = 5_000
const SAVE_INTERVAL_MS = 200
const PLAIN_REPORT_INTERVAL_MS = 5_000
const MAX_SHOWN = 50
/** Code of the error that ends a sending whose other lines are all stored. */
export const LINES_REFUSED = 'LINES_REFUSED'

/** How history is sent. */
export interface ImportPlan {
  readonly serverKey: string
  readonly ingestUrl: string
  /** An interrupted import of a file continues only toward the same one. */
  readonly target: string
  readonly parseLine: (line: number, text: string) => SourceRecord
  /** Requests at a time. */
  readonly concurrency: number
  /** The command that goes on after an interruption. */
  readonly command: string
  /** Called if each line was accepted or refused. */
  readonly onFinished: (accepted: number) => void
}

/**
 * Sends a file of events and reports every line. A run resumed with the same key and address never sends
 * accepted events twice.
 *
 * @param history of another tool, whose times stay
 */
export async function sendEvents(
  context: Context,
  file: string,
  options: Options,
  history?: ImportPlan,
): Promise<void> {
  const source = openSource(file)
  const serverKey = history?.serverKey ?? readServerKey(context.environment.serverKey)
  const ingestUrl = history?.ingestUrl ?? (await findIngestUrl(context))
  const place = source.size === undefined ? undefined : new ProgressFile(file)
  const interrupted = context.interruptSignal()
  const hard = new AbortController()
  // One listener for each request in flight.
  setMaxListeners(0, hard.signal, interrupted)
  interrupted.addEventListener('abort', () => setTimeout(() => hard.abort(), SHUTDOWN_GRACE_MS).unref(), {
    once: true,
  })
  const csv = history === undefined && (options.csv ?? /\.csv(\.gz)?$/i.test(file))
  const reading = { csv, parseLine: history?.parseLine }
  const target = history?.target ?? [ingestUrl, csv ? 'csv' : 'ndjson', hashOf(serverKey)].join(' ')
  const from = await findStart(context, source, { file, reading, target, stored: place?.read() }, interrupted)
  place?.write(from)

  const report = createReporter(context, source)
  const content = new ContentHash()
  // Warnings are about live events, such as about their age.
  const warnings = history === undefined ? new WarningTally() : undefined
  let saved = context.now()
  const sender = new EventSender(
    {
      post: (events) =>
        postEvents(ingestUrl, serverKey, `svc/${context.version}`, events, hard.signal, warnings),
      // Rejects when interrupted, which `isStopping` tells.
      sleep: (ms) => context.sleep(ms, interrupted).catch(() => {}),
      now: context.now,
      position: () => content.position(),
      isStopping: () => interrupted.aborted,
      maxConcurrency: history?.concurrency,
      giveUpAfterMs: (options.patience ?? DEFAULT_GIVE_UP_SECONDS) * 1_000,
      onProgress: (progress) => {
        report.show(progress)
        if (context.now() - saved < SAVE_INTERVAL_MS) return
        place?.write(progress)
        saved = context.now()
      },
      onWait: (reason, ms) => report.waiting(reason, ms),
    },
    from,
  )
  let sent: SendResult
  try {
    sent = await sender.send(readRecords(source.open(), { ...reading, sendId: from.sendId, content }))
  } finally {
    report.end()
  }
  const { sendId, line, position, accepted, old, refused } = sent
  const whollyDone = sent.notSent === 0 && sent.failure === undefined && !interrupted.aborted
  if (whollyDone) {
    place?.remove()
    history?.onFinished(accepted)
  } else
    place?.write({
      sendId,
      target,
      line,
      position,
      accepted,
      old,
      refused: refused.filter((each) => each.line <= line),
    })
  printSummary(context, source.name, sent, warnings, options)
  if (whollyDone && refused.length === 0) return
  throw incompleteError(
    sent,
    place === undefined ? undefined : (history?.command ?? `svc events send ${file}`),
  )
}

interface Start {
  readonly file: string
  readonly reading: Pick<RecordReading, 'csv' | 'parseLine'>
  readonly target: string
  readonly stored: SendProgress | undefined
}

/**
 * Reads the file to find where to start: after the last line of an earlier run, or anew if the file or the
 * target changed.
 */
async function findStart(
  context: Context,
  source: EventInput,
  { file, reading, target, stored }: Start,
  signal: AbortSignal,
): Promise<SendProgress> {
  const { terminal } = context
  // Progress of an older version has no target.
  const before = stored?.target === target ? stored : undefined
  const first: SendProgress = {
    // The id of an earlier run, so that lines which were sent before are recorded once.
    sendId: stored?.sendId ?? context.newId(),
    target,
    line: 0,
    position: new ContentHash().position(),
    accepted: 0,
    old: 0,
    refused: [],
  }
  if (source.size === undefined) return first
  const content = new ContentHash()
  const records = readRecords(source.open(), { ...reading, sendId: first.sendId, content })
  const scan = await scanFile(records, content, before ?? first, context.now(), signal)
  if (stored !== undefined && stored.line > 0 && before === undefined)
    terminal.err(
      `${escapeControls(file)} was sent up to line ${formatCount(stored.line)} to another address or workspace, with another key or format, or by an older version of svc: sending it from its start. Lines that svc has received are recorded once.\n`,
    )
  else if (before !== undefined && !scan.isSameFile)
    terminal.err(
      `${escapeControls(file)} has changed since it was sent up to line ${formatCount(before.line)}: sending it from its start. Lines that are the same as before are recorded once.\n`,
    )
  else if (before !== undefined && before.line > 0)
    terminal.err(
      `Resuming after line ${formatCount(before.line)}, where it stopped (${file}.svc-progress).\n`,
    )
  if (scan.old > 0)
    terminal.err(
      `${formatCount(scan.old)} events are older than seven days: svc will move their times to the boundary.\n`,
    )
  return before !== undefined && scan.isSameFile ? before : first
}

/** @param command goes on with a file; undefined for standard input */
function incompleteError(sent: SendResult, command: string | undefined): CommandError {
  const { failure, notSent, refused } = sent
  const resume = command === undefined ? [] : [`go on with: ${command}`]
  if (notSent === undefined)
    return refusedError(failure?.message ?? 'the file could not be read to its end', 'FILE_INCOMPLETE', [
      ...(failure?.details ?? []),
      sent.lastLine === 0
        ? 'no event could be read'
        : `everything after line ${formatCount(sent.lastLine)} could not be read and was not sent`,
      ...(command === undefined || sent.lastLine === 0
        ? []
        : ['run the same command with the whole file to send the rest']),
    ])
  if (failure !== undefined)
    return new CommandError(failure.exitCode, failure.message, failure.code, [
      ...failure.details,
      ...(command === undefined ? [] : ['run the same command again to resume']),
    ])
  if (notSent > 0 || refused.length === 0)
    return refusedError('stopped before the end', 'INTERRUPTED', resume)
  return refusedError(
    `${formatCount(refused.length)} lines were refused`,
    LINES_REFUSED,
    refused.some(({ message }) => message === NOT_UTF8) ? [`try: ${FORMAT_HINT}`] : [],
  )
}

function hashOf(serverKey: string): string {
  return createHash('sha256').update(serverKey).digest('base64url')
}

function readServerKey(key: string | undefined): string {
  if (key === undefined)
    throw unauthenticatedError('SVC_SERVER_KEY is not set', undefined, [
      'try: a key that begins with tsk_secret_ in SVC_SERVER_KEY; svc admin key create --type server --name NAME makes one',
    ])
  if (!/^[\x21-\x7e]{1,500}$/.test(key))
    throw unauthenticatedError('SVC_SERVER_KEY is not a key: keys begin with tsk_secret_')
  return key
}

/** SVC_INGEST_URL, or the address that the API reports. */
export async function findIngestUrl(context: Context): Promise<string> {
  const { ingestUrl } = context.environment
  if (ingestUrl !== undefined) return normalizeUrl(ingestUrl, 'SVC_INGEST_URL')
  const named = context.connection().apiKey === undefined ? undefined : await ingestUrlFromApi(context)
  if (named === undefined)
    throw usageError('the address for events is not known: set SVC_INGEST_URL', undefined, [
      'such as SVC_INGEST_URL=http://127.0.0.1:8080, or log in with svc login: the API knows it',
    ])
  return normalizeUrl(named, 'the ingestUrl of the API')
}

async function ingestUrlFromApi(context: Context): Promise<string | undefined> {
  const { body } = await (await context.api()).call('getReadiness', {})
  return 'ingestUrl' in body && typeof body.ingestUrl === 'string' ? body.ingestUrl : undefined
}

interface Reporter {
  show(progress: SendProgress): void
  waiting(reason: string, ms: number): void
  end(): void
}

/** Progress with rate and remaining time: live on a terminal, every few seconds elsewhere. */
function createReporter(context: Context, source: EventInput): Reporter {
  const { terminal, now } = context
  const startedAt = now()
  const progress: Progress = startProgress(terminal, now)
  let first: number | undefined
  let saidAt = startedAt
  let waitSaidAt = 0
  return {
    show({ accepted, refused }) {
      first ??= accepted
      if (!terminal.isInteractive && now() - saidAt < PLAIN_REPORT_INTERVAL_MS) return
      saidAt = now()
      const seconds = Math.max(0.001, (now() - startedAt) / 1_000)
      const rate = (accepted - first) / seconds
      const share =
        source.size === undefined || source.size === 0 ? undefined : source.bytesRead() / source.size
      const left = share === undefined || share === 0 ? undefined : (seconds / share) * (1 - share) * 1_000
      progress.show(
        [
          `${formatCount(accepted)} accepted`,
          ...(refused.length === 0 ? [] : [`${formatCount(refused.length)} refused`]),
          `${formatCount(rate)}/s`,
          ...(share === undefined ? [] : [`${(share * 100).toFixed(0)}%`]),
          ...(left === undefined ? [] : [`${formatDuration(Math.ceil(left / 1_000) * 1_000)} left`]),
        ].join(', '),
      )
    },
    waiting(reason, ms) {
      if (!terminal.isInteractive && now() - waitSaidAt < PLAIN_REPORT_INTERVAL_MS) return
      waitSaidAt = now()
      progress.show(`waiting ${formatDuration(ms)}: ${reason}`)
    },
    end() {
      progress.end()
    },
  }
}

function printSummary(
  context: Context,
  name: string,
  sent: SendResult,
  warnings: WarningTally | undefined,
  options: Options,
): void {
  const { terminal } = context
  const accepted = sent.accepted + sent.acceptedBeyond
  const refused = [...sent.refused].sort((a, b) => a.line - b.line)
  if (options.json) {
    printJson(terminal, {
      file: name,
      accepted,
      refused,
      notSent: sent.notSent ?? null,
      olderThanSevenDays: sent.old,
      warnings: warnings?.list() ?? [],
    })
    return
  }
  const style = context.style()
  const line = ({ line: at, field, message }: RefusedLine): string =>
    `${escapeControls(name)}:${at}: ${field === '' ? 'the event' : escapeControls(field)} ${escapeControls(message)}\n`
  terminal.out(refused.slice(0, MAX_SHOWN).map(line).join(''))
  if (refused.length > MAX_SHOWN)
    terminal.out(`and ${formatCount(refused.length - MAX_SHOWN)} more; --json names them all\n`)
  terminal.out(
    [
      colorize(style, accepted > 0 ? 'green' : undefined, `${formatCount(accepted)} accepted`),
      colorize(style, refused.length > 0 ? 'red' : undefined, `${formatCount(refused.length)} refused`),
      colorize(
        style,
        sent.notSent === 0 ? undefined : 'yellow',
        sent.notSent === undefined ? 'the rest not sent' : `${formatCount(sent.notSent)} not sent`,
      ),
    ]
      .join(', ')
      .concat('\n'),
  )
  terminal.out(warnings?.text() ?? '')
  if (sent.old > 0)
    terminal.out(
      `${formatCount(sent.old)} of them were older than seven days: svc moved their times to the boundary\n`,
    )
}
