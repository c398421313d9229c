import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { ROW, readInt64 } from '../../../domain/row.js'
import {
  makeGateway,
  makeWorkspace,
  startStores,
  type TestGateway,
} from '../../../ingest/test/support/gateway.js'
import { parseEventRecord } from '../../../log/record.js'
import { packageRoot } from '../../../runtime/package-root.js'

/** The package as shipped. It is not compiled. */
export const { nodeHandler, fetchHandler } = (await import(
  join(packageRoot(), 'relay', 'index.mjs')
)) as typeof import('../../index.mjs')

export interface RecordedExposure {
  readonly anonymousId: string
  readonly insertId: string
  readonly properties: { readonly experiment: string; readonly variant: string }
  /** As sent, in milliseconds. */
  readonly timestamp: number
}

export interface Ingestion {
  readonly url: string
  readonly serverKey: string
  readonly gateway: TestGateway
  /** The durable rows of the log, in order. */
  recorded(): RecordedExposure[]
}

/** The real gateway on a real log. */
export async function startIngestion(t: Test): Promise<Ingestion> {
  const stores = await startStores()
  t.teardown(() => stores.stop())
  const { serverKey } = await makeWorkspace(stores)
  const gateway = await makeGateway(stores)
  t.teardown(() => gateway.stop())
  return {
    url: gateway.url,
    serverKey,
    gateway,
    recorded: () =>
      gateway.appended
        .filter(({ partition }) => partition < gateway.log.partitions)
        .flatMap(({ payload }) => exposuresOf(Buffer.from(payload))),
  }
}

function exposuresOf(payload: Buffer): RecordedExposure[] {
  const found: RecordedExposure[] = []
  parseEventRecord(payload).forEachRow((start, end) => {
    const row = payload.subarray(start, end)
    const [event, userId, anonymousId = '', insertId = '', , properties = ''] = stringsOf(row)
    if (event !== '$exposure' || userId !== '') throw new Error(`a row of ${event} by user ${userId}`)
    found.push({
      anonymousId,
      insertId,
      properties: JSON.parse(properties) as RecordedExposure['properties'],
      timestamp: readInt64(row, ROW.originalTimestamp),
    })
  })
  return found
}

function stringsOf(row: Buffer): string[] {
  const strings: string[] = []
  for (let at: number = ROW.fixedBytes; at < row.length; ) {
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = row.readUInt8(at++)
      length |= (byte & 127) << shift
      if (byte < 128) break
    }
    strings.push(row.toString('utf8', at, at + length))
    at += length
  }
  return strings
}

export interface PassedOn {
  readonly headers: IncomingHttpHeaders
  readonly insertIds: readonly string[]
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Status of the response. */
  readonly status: number
}

export interface Front {
  readonly url: string
  readonly seen: PassedOn[]
  /**
   * Sets how the next requests end: `pass` them on, respond without passing on, or pass on and then break the
   * connection, so that the sender cannot know.
   */
  next(...steps: readonly FrontStep[]): void
}

export type FrontStep = 'pass' | 'break' | { readonly status: number; readonly retryAfter?: string }

/**
 * A proxy before the real gateway. It records requests and can respond like a full or missing gateway.
 * `spoil` changes request bodies.
 */
export async function startFront(
  t: Test,
  target: string,
  spoil: (body: string) => string = (body) => body,
): Promise<Front> {
  const seen: PassedOn[] = []
  const steps: FrontStep[] = []
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200).end('{"version":1,"experiments":{"hero":true}}')
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => void pass(Buffer.concat(chunks).toString()))
    const pass = async (body: string): Promise<void> => {
      const step = steps.shift() ?? 'pass'
      const insertIds = (JSON.parse(body) as { events: { insertId: string }[] }).events.map((e) => e.insertId)
      const note = (status: number): void => {
        seen.push({ headers: request.headers, insertIds, at: Date.now(), status })
      }
      if (typeof step === 'object') {
        note(step.status)
        response.writeHead(
          step.status,
          step.retryAfter === undefined ? {} : { 'retry-after': step.retryAfter },
        )
        response.end('{}')
        return
      }
      const answer = await fetch(target + (request.url ?? ''), {
        method: 'POST',
        headers: {
          authorization: request.headers.authorization ?? '',
          'content-type': request.headers['content-type'] ?? '',
        },
        body: spoil(body),
      })
      note(answer.status)
      if (step === 'break') response.destroy()
      else response.writeHead(answer.status).end(await answer.text())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    next: (...following) => void steps.push(...following),
  }
}

/** The exposure event of the helper, with the id that the relay gives it. */
export function exposure(visitor: string, experiment = 'hero', variant = 'b') {
  return {
    event: '$exposure',
    anonymousId: visitor,
    insertId: `$exposure:${experiment}:${variant}:${visitor}`,
    properties: { experiment, variant },
  }
}
