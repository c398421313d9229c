import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { csvLine } from '../../domain/text/csv.js'
import type { presentEvents } from './present-events.js'

export type ExportedEvent = Awaited<ReturnType<typeof presentEvents>>[number]

type Batches = AsyncIterable<readonly ExportedEvent[]>

export const CSV = 'text/csv'
export const PARQUET = 'application/vnd.apache.parquet'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

const TEXTS = ['id', 'event', 'userId', 'anonymousId', 'personId'] as const
const TIMES = ['timestamp', 'originalTimestamp', 'receivedAt'] as const
const LATER_TEXTS = ['timestampAdjustment', 'insertId', 'sdkVersion'] as const
const COLUMNS = [...TEXTS, ...TIMES, ...LATER_TEXTS, 'properties'] as const
/** Columns that every event has. */
const REQUIRED: readonly string[] = [
  'properties',
  'id',
  'event',
  'personId',
  'timestamp',
  'receivedAt',
  'timestampAdjustment',
]

/**
 * Rows of CSV by RFC 4180, with a header. Absent values are empty, properties are JSON.
 *
 * @param hasHeader false if the rows go on after others
 */
export async function* csvOf(batches: Batches, hasHeader: boolean): AsyncGenerator<string> {
  if (hasHeader) yield `${COLUMNS.join(',')}\r\n`
  for await (const batch of batches) yield batch.map(csvRow).join('')
}

function csvRow(event: ExportedEvent): string {
  const values = COLUMNS.map((name) => (name === 'properties' ? JSON.stringify(event[name]) : event[name]))
  return csvLine(values.map((value) => value ?? ''))
}

/** A Parquet file, a row group for each batch. Times are in milliseconds UTC, properties are JSON as text. */
export async function* parquetOf(batches: Batches): AsyncGenerator<Uint8Array> {
  const { bytes, writer } = parquetFile()
  for await (const batch of batches) {
    await writeRowGroup(writer, batch)
    yield takeBytes(bytes)
  }
  await writer.finish()
  yield takeBytes(bytes)
}

/** Parquet files as of `parquetOf`, each ended by the batch that reaches a size. None without events. */
export async function* parquetFilesOf(
  batches: Batches,
  fileBytes: number,
): AsyncGenerator<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly events: number }> {
  let file = parquetFile()
  let events = 0
  const end = async () => {
    await file.writer.finish()
    const ended = { bytes: file.bytes.getBytes() as Uint8Array<ArrayBuffer>, events }
    file = parquetFile()
    events = 0
    return ended
  }
  for await (const batch of batches) {
    await writeRowGroup(file.writer, batch)
    events += batch.length
    if (file.bytes.index >= fileBytes) yield end()
  }
  if (events > 0) yield end()
}

function parquetFile() {
  const bytes = new ByteWriter()
  return { bytes, writer: new ParquetWriter({ writer: bytes, schema: SCHEMA, createdBy: 'svc' }) }
}

async function writeRowGroup(writer: ParquetWriter, batch: readonly ExportedEvent[]): Promise<void> {
  await writer.write({
    columnData: COLUMNS.map((name) => ({ name, data: batch.map((event) => parquetValue(event, name)) })),
    rowGroupSize: batch.length,
  })
}

function parquetValue(event: ExportedEvent, name: (typeof COLUMNS)[number]): unknown {
  if (name === 'properties') return JSON.stringify(event.properties)
  const value = event[name]
  return value !== null && (TIMES as readonly string[]).includes(name) ? new Date(value) : value
}

/** Bytes since the last call. The writer's offset in the file goes on. */
function takeBytes(writer: ByteWriter): Uint8Array {
  const bytes = new Uint8Array(writer.buffer.slice(0, writer.index))
  writer.index = 0
  return bytes
}

const SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: COLUMNS.length },
  ...COLUMNS.map((name): SchemaElement => {
    const repetition_type = REQUIRED.includes(name) ? 'REQUIRED' : 'OPTIONAL'
    if ((TIMES as readonly string[]).includes(name))
      return { name, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', repetition_type }
    return { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type }
  }),
]
