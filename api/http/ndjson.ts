import type { ResponseStream } from './response-stream.js'
import type { ApiRequest, RouteResponse } from './route.js'

export const NDJSON = 'application/x-ndjson'

/**
 * A response of one JSON object a line, sent at the pace of its reader.
 *
 * @param request each batch is read in a turn of its workspace, and sent while its key is active
 * @param batches read only while the client is there; what they throw breaks the connection
 * @param filename for browsers that save it
 */
export function ndjson(
  request: StreamedRequest,
  batches: AsyncIterable<readonly object[]>,
  filename: string,
): RouteResponse {
  return {
    status: 200,
    headers: {
      'Content-Type': `${NDJSON}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${filename}"`,
      'X-Accel-Buffering': 'no',
    },
    stream(stream) {
      if (stream !== undefined)
        writeLines(stream, inTurns(batches, request), request).catch(() => stream.close())
    },
  }
}

type StreamedRequest = Pick<ApiRequest<unknown, unknown, unknown>, 'inTurn' | 'reauthenticate'>

async function* inTurns<Batch>(
  batches: AsyncIterable<Batch>,
  { inTurn }: StreamedRequest,
): AsyncGenerator<Batch> {
  const iterator = batches[Symbol.asyncIterator]()
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

/** The end of each batch is held back, because the spaces that a stream sends while it waits go before it. */
const END = '}\n'

async function writeLines(
  stream: ResponseStream,
  batches: AsyncIterable<readonly object[]>,
  { reauthenticate }: StreamedRequest,
): Promise<void> {
  let before = ''
  for await (const batch of batches) {
    await reauthenticate()
    stream.write(
      before +
        batch
          .map((row) => JSON.stringify(row))
          .join('\n')
          .slice(0, -1),
    )
    before = END
    await stream.drained()
  }
  stream.end(before)
}
