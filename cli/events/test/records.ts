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

t.test('lines are the same wherever the chunks are cut', async (t) => {
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

t.test('CSV rows are read as they were written', async () => {
  const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', 'ä'), maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(field, field, field), { maxLength: 6 }), async (rows) => {
      const text = rows
        .map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(','))
        .join('\n')
      const read = await all(parseCsvRows(splitLines(chunks(text, 7))))
      return JSON.stringify(read.map(({ fields }) => fields)) === JSON.stringify(rows)
    }),
  )
})

t.test(
  'an event without an insertId gets one from its line, the same each time, and its text does not change',
  async (t) => {
    const text = '{"event":"a","n":1.0}\n{"event":"a","insertId":"mine"}\n{"event":"a","insertId":null}\n{}\n'
    const one = await all(readRecords(chunks(text, 100), { csv: false, sendId: 'send-1' }))
    t.strictSame(await all(readRecords(chunks(text, 3), { csv: false, sendId: 'send-1' })), one)
    const sent = one.map((record) => ('json' in record ? record.json : ''))
    t.match(sent[0], /^\{"event":"a","n":1\.0,"insertId":"[\w-]{27}"\}$/)
    t.equal(sent[1], '{"event":"a","insertId":"mine"}')
    const ids = sent.map((json) => (JSON.parse(json) as { insertId: string }).insertId)
    t.equal(new Set(ids).size, 4)
    t.match(ids[2], /^[\w-]{27}$/, 'null is no id')
    const other = await all(readRecords(chunks(text, 100), { csv: false, sendId: 'send-2' }))
    t.notSame(other[0], one[0], 'another sending has others')
  },
)

async function readCsv(text: string) {
  return all(readRecords(chunks(text, 1_000), { csv: true, sendId: 's' }))
}

t.test('a cell becomes a number only if writing it back gives the same text', async (t) => {
  const cells = {
    same: ['0', '12', '-3', '12.5', '1234567890123456', '0.1', 'true', 'false'],
    text: [
      '12345678901234567',
      '9007199254740993',
      '1e999',
      '1e5',
      '007',
      '12.50',
      '-0',
      '+1',
      '.5',
      '5.',
      '0x10',
      ' 1',
    ],
    words: ['NaN', 'Infinity', '-Infinity', 'null', 'undefined', 'TRUE', '{}'],
  }
  for (const [kind, values] of Object.entries(cells))
    for (const cell of values) {
      const [record] = await readCsv(`event,p\na,${cell}\n`)
      const sent = record !== undefined && 'json' in record ? record.json : ''
      t.match(sent, `"properties":{"p":${kind === 'same' ? cell : JSON.stringify(cell)}}`, cell)
    }
})

t.test('a row keeps every column, and every digit of a number', async (t) => {
  const [record] = await readCsv(
    'event,__proto__,properties.constructor,properties\na,x,y,"{""id"":12345678901234567890,""__proto__"":1e400}"\n',
  )
  const sent = record !== undefined && 'json' in record ? record.json : ''
  t.match(
    sent,
    '"properties":{"__proto__":"x","constructor":"y","id":12345678901234567890,"__proto__":1e400}',
  )
  const [empty] = await readCsv('event,properties\na,{}\n')
  t.match(empty, { json: /^\{"insertId":"[\w-]{27}","event":"a"\}$/ })
})

/** The lines that are sent, and the lines that are refused with their problems. */
function account(records: Awaited<ReturnType<typeof readCsv>>) {
  const sent = records.flatMap((record) => ('json' in record ? [record.line] : []))
  const refused = records.flatMap((record) => ('problem' in record ? [[record.line, record.problem]] : []))
  return { sent, refused }
}

t.test('a stray quote refuses its line and no other', async (t) => {
  const stray = /^has a quote that is not closed, or text after a closing quote/
  const cases: readonly [string, string[], readonly number[], readonly number[]][] = [
    ['never closed', ['a,"x', 'b,y', 'c,z'], [3, 4], [2]],
    ['closed by the next quoted field', ['a,"x', 'b,y', 'c,"z"', 'd,w'], [3, 4, 5], [2]],
    ['before a row over two lines', ['a,"x', 'b,"y', 'z"', 'c,w'], [3, 5], [2]],
    ['text after a quote', ['a,"x" y', 'b,z'], [3], [2]],
    ['hides rows between two', ['a,"x', 'b,y', 'c,",z', 'd,w'], [3, 5], [2, 4]],
    ['within a cell is text', ['a,5" pipe', 'b,z'], [2, 3], []],
    ['in each line', ['a,"x', 'b,"y', 'c,"z'], [], [2, 3, 4]],
    ['in the last line', ['a,x', 'b,"'], [2], [3]],
  ]
  for (const [name, lines, sent, refused] of cases) {
    const found = account(await readCsv(['event,p', ...lines].join('\n')))
    t.strictSame(found.sent, sent, name)
    t.strictSame(
      found.refused.map(([line]) => line),
      refused,
      name,
    )
    if (refused.length > 0) t.match(found.refused[0]?.[1], stray, name)
  }
})

t.test('every line of a CSV is accounted for, whatever its quotes', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', '"', ',', '""', '","'), minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), async (lines) => {
      const read = await all(parseCsvRows(splitLines(chunks(['h,p', ...lines].join('\n'), 50))))
      const starts = read.map(({ number }) => number)
      // A row starts after the row before it, and its fields contain its text.
      return read.every(({ number, fields, problem }, at) => {
        const next = starts[at + 1] ?? lines.length + 2
        const covered = problem === undefined ? fields.join('').split('\n').length : 1
        return number + covered === next
      })
    }),
  )
})

t.test('a stray quote is parsed in linear time', async (t) => {
  const time = async (text: string): Promise<number> => {
    const began = process.cpuUsage()
    const { sent, refused } = account(await readCsv(text))
    t.equal(sent.length + refused.length, text.split('\n').length - 2)
    return process.cpuUsage(began).user / 1_000
  }
  const files = (rows: number): string[] => [
    `event,p\na,"x\n${'row,value\n'.repeat(rows)}`,
    `event,p\n${'a,"x\n'.repeat(rows)}`,
    `event,p\n${'a,"x"\n'.repeat(rows)}b,"\n`,
  ]
  for (const text of files(20_000)) t.ok((await time(text)) < 5_000)
})
