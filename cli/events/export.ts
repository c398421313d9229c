import { createHash } from 'node:crypto'
import { createReadStream, existsSync, renameSync, truncateSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { formatCount } from '../../domain/text/format.js'
import { errorMessage } from '../../runtime/errors.js'
import type { Input } from '../client/api.js'
import { unreachableError } from '../client/error-response.js'
import { refusedError, usageError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { escapeControls, printJson } from '../output.js'
import { startProgress } from '../render/progress.js'
import { writeToOutput } from '../write-to-output.js'

type Format = 'ndjson' | 'csv' | 'parquet'

interface ExportOptions extends CommonOptions {
  readonly from?: string
  readonly to?: string
  readonly event?: string
  readonly format?: string
}

/** Connections that break one after the other without a new event. */
const ATTEMPTS = 3
const PAUSE_MS = 1_000

/** Writes events to a file. If it is interrupted, the same command goes on after the last whole event. */
export async function exportToFile(context: Context, file: string, options: ExportOptions): Promise<void> {
  const format = formatOf(file, options.format)
  const { from, to, event } = options
  const query = { from, to, event, format }
  if (file === '-') return exportToOutput(context, query)
  const part = `${file}.${createHash('sha256').update(JSON.stringify(query)).digest('hex').slice(0, 8)}.part`
  const signal = context.interruptSignal()
  const progress = startProgress(context.terminal, context.now)
  let end = await endOfPart(part, format)
  if (end.rows > 0)
    context.terminal.err(`Going on after ${formatCount(end.rows)} events of ${escapeControls(part)}.\n`)
  try {
    for (let failures = 0; ; await context.sleep(failures * PAUSE_MS, signal)) {
      const { bytes, after, rows } = end
      const failure = await appendEvents(context, part, bytes, { ...query, after }, signal)
      end = await endOfPart(part, format)
      if (failure === undefined) break
      failures = end.rows > rows ? 0 : failures + 1
      if (signal.aborted || failures > ATTEMPTS) throw failure
      progress.show(`${formatCount(end.rows)} events, the connection broke: ${errorMessage(failure)}`)
    }
  } catch (error) {
    if (!signal.aborted) throw error
    throw refusedError('stopped before the end', 'INTERRUPTED', ['run the same command again to go on'])
  } finally {
    progress.end()
  }
  renameSync(part, file)
  const events = end.rows
  if (options.json) printJson(context.terminal, { file, format, ...(format === 'parquet' ? {} : { events }) })
  else
    context.terminal.out(
      format === 'parquet'
        ? `The events are in ${escapeControls(file)}\n`
        : `${formatCount(events)} events are in ${escapeControls(file)}\n`,
    )
}

function formatOf(file: string, asked: string | undefined): Format {
  const format = asked ?? /\.(ndjson|csv|parquet)$/i.exec(file)?.[1]?.toLowerCase() ?? 'ndjson'
  if (format !== 'ndjson' && format !== 'csv' && format !== 'parquet')
    throw usageError(`the format is ndjson, csv or parquet, not ${JSON.stringify(format)}`)
  return format
}

interface ExportQuery {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly event: string | undefined
  readonly format: Format
  readonly after?: string | undefined
}

function openExport({ api }: Context, query: ExportQuery, signal: AbortSignal) {
  return api().then((client) =>
    client.stream('exportEvents', { query } as Input<'exportEvents'>, { Accept: '*/*' }, signal),
  )
}

async function exportToOutput(context: Context, query: ExportQuery): Promise<void> {
  const stream = await openExport(context, query, context.interruptSignal())
  await writeToOutput(context, stream.body)
}

/** Cuts the file to its whole events and appends what comes. Returns what broke the connection, if it did. */
async function appendEvents(
  context: Context,
  part: string,
  bytes: number,
  query: ExportQuery,
  signal: AbortSignal,
): Promise<Error | undefined> {
  const stream = await openExport(context, query, signal)
  if (existsSync(part)) truncateSync(part, bytes)
  const file: FileHandle = await open(part, 'a')
  try {
    for await (const chunk of arriving(stream.body)) {
      if (chunk instanceof Error) return unreachableError(context.connection().apiUrl, chunk)
      await file.writeFile(chunk)
    }
    await file.sync()
    return undefined
  } finally {
    await file.close()
  }
}

/** Chunks, and last the error that broke the connection: an error of the disk is another matter. */
async function* arriving(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer | Error> {
  try {
    yield* body
  } catch (error) {
    yield error instanceof Error ? error : new Error(errorMessage(error))
  }
}

interface PartEnd {
  /** The end of the last whole event. */
  readonly bytes: number
  /** Its id. */
  readonly after: string | undefined
  readonly rows: number
}

const NEWLINE = 0x0a
const QUOTE = 0x22
const ID_LENGTH = 36
/** Rows of NDJSON begin so, and rows of CSV with the id. */
const ID_START = '{"id":"'.length

/** The end of what can be kept: nothing of a Parquet file, which cannot be continued. */
async function endOfPart(part: string, format: Format): Promise<PartEnd> {
  if (format === 'parquet' || !existsSync(part)) return { bytes: 0, after: undefined, rows: 0 }
  let offset = 0
  let quoted = false
  let start = 0
  let last: { from: number; to: number } | undefined
  let rows = format === 'csv' ? -1 : 0
  for await (const chunk of createReadStream(part) as AsyncIterable<Buffer>) {
    for (const byte of chunk) {
      offset++
      if (byte === QUOTE && format === 'csv') quoted = !quoted
      if (byte !== NEWLINE || quoted) continue
      last = { from: start, to: offset }
      start = offset
      rows++
    }
  }
  if (last === undefined || rows < 1) return { bytes: 0, after: undefined, rows: 0 }
  const file = await open(part)
  try {
    const at = last.from + (format === 'csv' ? 0 : ID_START)
    const { buffer } = await file.read(Buffer.alloc(ID_LENGTH), 0, ID_LENGTH, at)
    return { bytes: last.to, after: buffer.toString('latin1'), rows }
  } finally {
    await file.close()
  }
}
