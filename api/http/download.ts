import type { ResponseStream } from './response-stream.js'
import type { ApiRequest, RouteResponse } from './route.js'

export const NDJSON = 'application/x-ndjson'

export interface DownloadType {
  readonly contentType: string
  /** For browsers that save it. */
  readonly filename: string
}

/**
 * A response that is sent in parts, at the pace of its reader.
 *
 * @param request each part is made in a turn of its workspace, and sent while its key is active
 * @param parts made only while the client is there; what they throw breaks the connection
 */
export function download(
  request: DownloadRequest,
  parts: AsyncIterable<string | Uint8Array>,
  { contentType, filename }: DownloadType,
): RouteResponse {
  return {
    status: 200,
    headers: {
      'Content-Type': contentType,
      'Content-Disposition': `attachment; filename="${filename}"`,
      'X-Accel-Buffering': 'no',
    },
    stream(stream) {
      if (stream !== undefined)
        writeParts(stream, inTurns(parts, request), request).catch(() => stream.close())
    },
  }
}

/** A download of one JSON object a line. */
export function ndjson(
  request: DownloadRequest,
  batches: AsyncIterable<readonly object[]>,
  filename: string,
): RouteResponse {
  return download(request, linesOf(batches), { contentType: `${NDJSON}; charset=utf-8`, filename })
}

async function* linesOf(batches: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map((row) => `${JSON.stringify(row)}\n`).join('')
}

/** Reads the first batch, so that a failure is an answer and not a broken connection. */
export async function begun<Batch>(batches: AsyncGenerator<Batch>): Promise<AsyncIterable<Batch>> {
  const first = await batches.next()
  return (async function* () {
    if (first.done === true) return
    yield first.value
    yield* batches
  })()
}

type DownloadRequest = Pick<ApiRequest<unknown, unknown, unknown>, 'inTurn' | 'reauthenticate'>

async function* inTurns<Part>(parts: AsyncIterable<Part>, { inTurn }: DownloadRequest): AsyncGenerator<Part> {
  const iterator = parts[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await inTurn(() => iterator.next())
      if (done === true) return
      yield value
    }
  } finally {
    await iterator.return?.()
  }
}

async function writeParts(
  stream: ResponseStream,
  parts: AsyncIterable<string | Uint8Array>,
  { reauthenticate }: DownloadRequest,
): Promise<void> {
  for await (const part of parts) {
    await reauthenticate()
    stream.write(part)
    await stream.drained()
  }
  stream.end()
}
