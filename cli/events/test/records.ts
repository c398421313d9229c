import fc from 'fast-check'
import t from 'tap'
import { parseCsvRows } from '../csv.js'
import { readRecords } from '../records.js'
import { splitLines } from '../source.js'

async function* chunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

t.test('lines come the same however the bytes are cut', async (t) => {
  const text = '\ufeffäb\r\n\n日本\u2028x\nlast'
  for (const size of [1, 2, 3, 100])
    t.strictSame(
      (await all(splitLines(chunks(text, size)))).map(({ number, text }) => [number, text]),
      [
        [1, 'äb'],
        [2, ''],
        [3, '日本\u2028x'],
        [4, 'last'],
      ],
    )
})

t.test('rows of CSV come back as they were written', async () => {
  const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', 'ä'), maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 6 }),
      async (rows) => {
        const text = rows
          .map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(','))
          .join('\n')
        const read = await all(parseCsvRows(splitLines(chunks(text, 7))))
        return JSON.stringify(read.map(({ fields }) => fields)) === JSON.stringify(rows)
      },
    ),
  )
})

t.test(
  'an event without an insertId gets one of its line, the same each time; its text stays as it is',
  async (t) => {
    const text = '{"event":"a","n":1.0}\n{"event":"a","insertId":"mine"}\n{"event":"a","insertId":null}\n{}\n'
    const one = await all(readRecords(chunks(text, 100), false, 'send-1'))
    t.strictSame(await all(readRecords(chunks(text, 3), false, 'send-1')), one)
    const sent = one.map((record) => ('json' in record ? record.json : ''))
    t.match(sent[0], /^\{"event":"a","n":1\.0,"insertId":"[\w-]{27}"\}$/)
    t.equal(sent[1], '{"event":"a","insertId":"mine"}')
    const ids = sent.map((json) => (JSON.parse(json) as { insertId: string }).insertId)
    t.equal(new Set(ids).size, 4)
    t.match(ids[2], /^[\w-]{27}$/, 'null is none')
    const other = await all(readRecords(chunks(text, 100), false, 'send-2'))
    t.notSame(other[0], one[0], 'another sending has others')
  },
)
