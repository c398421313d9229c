/** A server-sent event. Without a name it only carries an id. */
export interface SseMessage {
  readonly name: string
  readonly data: string
  /** For `Last-Event-ID` after this message; undefined if it has none. */
  readonly id: string | undefined
}

/** Parses a stream of server-sent events. Comments are skipped. */
export async function* parseSse(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SseMessage> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const message = parseBlock(block)
      if (message !== undefined) yield message
    }
  }
}

function parseBlock(block: string): SseMessage | undefined {
  const fields = new Map<string, string>()
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'data') data.push(value)
    else fields.set(name, value)
  }
  const id = fields.get('id')
  if (data.length === 0 && id === undefined) return undefined
  return { name: data.length === 0 ? '' : (fields.get('event') ?? 'message'), data: data.join('\n'), id }
}
