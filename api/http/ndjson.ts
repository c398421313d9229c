import type { ResponseStream } from './response-stream.js'
import type { RouteResponse } from './route.js'

export const NDJSON = 'application/x-ndjson'

/**
 * A response of one JSON object a line, sent at the pace of its reader.
 *
 * @param batches read only while the client is there; what they throw breaks the connection
 * @param mayGoOn called before each batch; throws to break the connection
 * @param filename for browsers that save it
 */
export function ndjson(
  batches: AsyncIterable<readonly object[]>,
  mayGoOn: () => Promise<void>,
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
      if (stream !== undefined) writeLines(stream, batches, mayGoOn).catch(() => stream.close())
    },
  }
}

/** The end of each batch is held back, because the spaces that a stream sends while it waits go before it. */
const END = '}\n'

async function writeLines(
  stream: ResponseStream,
  batches: AsyncIterable<readonly object[]>,
  mayGoOn: () => Promise<void>,
): Promise<void> {
  let before = ''
  for await (const batch of batches) {
    await mayGoOn()
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
