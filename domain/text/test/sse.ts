import fc from 'fast-check'
import t from 'tap'
import { parseSse, type SseMessage } from '../sse.js'

async function* cutAt(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

const message: fc.Arbitrary<SseMessage> = fc.record({
  name: fc.constantFrom('event', 'rate', 'gap'),
  data: fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
  id: fc.option(fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/), { nil: undefined }),
})

t.test('messages are parsed the same wherever the bytes are cut', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      async (sent, sizes) => {
        const text = sent
          .map(
            ({ name, data, id }) =>
              `:\n\nevent: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`,
          )
          .join('')
        const read: SseMessage[] = []
        for await (const one of parseSse(cutAt(Buffer.from(`retry: 2000\n\n${text}`), sizes))) read.push(one)
        t.same(read, sent)
      },
    ),
    { numRuns: 200 },
  )
})

t.test('other line breaks of JavaScript are part of the text', async (t) => {
  const read: SseMessage[] = []
  const data = JSON.stringify('a\u2028b\u2029c')
  for await (const one of parseSse(cutAt(Buffer.from(`event: event\ndata: ${data}\n\n`), [7]))) read.push(one)
  t.same(read, [{ name: 'event', data, id: undefined }])
})

t.test('an id without data moves the position, and an unfinished message is ignored', async (t) => {
  const read: SseMessage[] = []
  const bytes = Buffer.from(':\nid: 17\n\nevent: event\ndata: {}\n')
  for await (const one of parseSse(cutAt(bytes, [100]))) read.push(one)
  t.same(read, [{ name: '', data: '', id: '17' }])
})
