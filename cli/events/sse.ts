/** A message of a stream of server-sent events. One without a name says only how far the stream has come. */
export interface SseMessage {
  readonly name: string
  readonly data: string
  /** Where the stream stands behind it; undefined where it says nothing about that. */
  readonly id: string | undefined
}

/** The messages of a stream of server-sent events, as they come in; comments and blocks without meaning are left out. */
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
