import t from 'tap'
import { printJson, printJsonText, printRecord, printTable, type Terminal } from '../output.js'

function capture(): Terminal & { readonly text: () => string } {
  let text = ''
  return {
    out(more) {
      text += more
    },
    err() {},
    text: () => text,
  }
}

t.test('tables are aligned, also with characters that are two columns wide', async (test) => {
  const terminal = capture()
  printTable(
    terminal,
    ['id', 'name', 'scopes', 'at'],
    [
      ['1', 'Shop', ['a.b', 'c'], new Date('2026-11-21T10:00:59.123Z')],
      ['2', '日本', [], null],
      ['3', '', ['a.b'], null],
      [12, '🙂e\u0301', [], null],
    ],
  )
  test.equal(
    terminal.text(),
    [
      'ID  NAME  SCOPES  AT',
      '1   Shop  a.b,c   2026-11-21 10:00Z',
      '2   日本  -       -',
      '3   -     a.b     -',
      '12  🙂e\u0301   -       -',
      '',
    ].join('\n'),
  )
})

t.test('a name cannot move the cursor or begin a line', async (test) => {
  const terminal = capture()
  printRecord(terminal, { name: '\u001b[2Ja\nb\u202ec\u009bd\u2028e\u200ff' })
  test.equal(terminal.text(), 'name  \ufffd[2Ja\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\n')
})

t.test('JSON is one line, with times in UTC and milliseconds', async (test) => {
  const terminal = capture()
  printJson(terminal, { data: [{ at: new Date(1_000), none: null }] })
  test.equal(terminal.text(), '{"data":[{"at":"1970-01-01T00:00:01.000Z","none":null}]}\n')
})

t.test(
  'in JSON, characters that move the cursor or reverse the text are escaped, and the value stays the same',
  async (test) => {
    const terminal = capture()
    const value = { name: 'a\u009b2Jb\u202ec\u2028d\u200fe\u0001f' }
    printJsonText(terminal, JSON.stringify(value, null, 2))
    test.equal(terminal.text(), '{\n  "name": "a\\u009b2Jb\\u202ec\\u2028d\\u200fe\\u0001f"\n}\n')
    test.strictSame(JSON.parse(terminal.text()), value)
  },
)
