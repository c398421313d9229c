import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { unifiedDiff } from '../unified-diff.js'
import { gitAsPeople, temporaryFolder } from './support/git-repository.js'

type Text = string | null

/** The text that git makes by applying a diff. */
function applied(folder: string, path: string, before: Text, diff: string): Text {
  const file = join(folder, path)
  rmSync(file, { force: true })
  mkdirSync(dirname(file), { recursive: true })
  if (before !== null) writeFileSync(file, before)
  gitAsPeople(folder, ['apply', '-p1', '--whitespace=nowarn', '-'], diff)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

const MANY = Array.from({ length: 3000 }, (_, line) => `line ${line}\n`).join('')

t.test('git applies the diff', (t) => {
  const folder = temporaryFolder(t)
  const cases: Readonly<Record<string, readonly [Text, Text]>> = {
    'a.txt': ['one\ntwo\nthree\n', 'one\nTWO\nthree\n'],
    'no end before.txt': ['one\ntwo', 'one\ntwo\n'],
    'no end after.txt': ['one\ntwo\n', 'one\ntwo'],
    'neither/has an end.txt': ['one\ntwo', 'one\nthree'],
    'crlf.txt': ['one\r\ntwo\r\nthree', 'one\r\nTWO\r\nthree\r\n'],
    'ends change.txt': ['one\ntwo\n', 'one\r\ntwo\r\n'],
    'lone cr.txt': ['one\rtwo\n', 'one\rTWO\rthree\n'],
    'new.txt': [null, 'one\n'],
    'new without end.txt': [null, 'one'],
    'empty new.txt': [null, ''],
    'gone.txt': ['one\ntwo', null],
    'empty gone.txt': ['', null],
    'emptied.txt': ['one\n', ''],
    'filled.txt': ['', 'one\n'],
    'odd "name"\twith\nall.txt': ['one\n', 'two\n'],
    'ünï cödé.txt': ['é\n', 'ü\n'],
    '-rf': ['one\n', 'two\n'],
    'dashes.txt': ['-- a\n', '++ b\n'],
    'all different.txt': [MANY, MANY.replaceAll('line', 'row')],
    'all but ends.txt': [
      `a\nb\nc\nd\n${MANY}x\ny\nz\nw`,
      `a\nb\nc\nd\n${MANY.replaceAll('line', 'row')}x\ny\nz\nw`,
    ],
    'all but the last.txt': [`${MANY}w`, `${MANY.replaceAll('line', 'row')}w`],
    'separators.txt': ['one\u2028two\u0085three\n', 'one\u2028TWO\u0085three\n'],
  }
  for (const [path, [before, after]] of Object.entries(cases))
    t.equal(applied(folder, path, before, unifiedDiff(path, before, after)), after, path)
  t.end()
})

t.test('git applies the diff of any lines', (t) => {
  const folder = temporaryFolder(t)
  const text = fc
    .array(fc.constantFrom('a', 'b', 'a b', '', ' ', '\r', '-', '+', '@@ -1 +1 @@', '\\ No newline'), {
      maxLength: 30,
    })
    .chain((lines) =>
      fc.constantFrom('', '\n', '\r\n').map((end) => lines.join('\n') + (lines.length > 0 ? end : '')),
    )
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = unifiedDiff('some/file.txt', before, after)
      if (before === after) return diff === ''
      return applied(folder, 'some/file.txt', before, diff) === after
    }),
    { numRuns: 60 },
  )
  t.end()
})

t.test('a diff has the unified form of git', (t) => {
  t.equal(
    unifiedDiff('src/a b.txt', 'one\ntwo\n', 'one\nthree'),
    'diff --git a/src/a b.txt b/src/a b.txt\n--- a/src/a b.txt\t\n+++ b/src/a b.txt\t\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n\\ No newline at end of file\n',
  )
  t.equal(
    unifiedDiff('n', null, 'one\n'),
    'diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+one\n',
  )
  t.match(unifiedDiff('n', 'one\ntwo\n', null), '\n@@ -1,2 +0,0 @@\n')
  t.equal(unifiedDiff('x', 'same\n', Buffer.from('same\n')), '')
  t.equal(unifiedDiff('x', null, null), '')
  t.equal(
    unifiedDiff('x.bin', Buffer.from([0, 1]), Buffer.from([0, 2])),
    'diff --git a/x.bin b/x.bin\nBinary files a/x.bin and b/x.bin differ\n',
  )
  t.equal(unifiedDiff('x.bin', Buffer.from([0, 1]), Buffer.from([0, 1])), '')
  t.equal(
    unifiedDiff('x.bin', null, Buffer.from([0xff])),
    'diff --git a/x.bin b/x.bin\nnew file mode 100644\nBinary files /dev/null and b/x.bin differ\n',
  )
  const large = 'x'.repeat(1024 * 1024 + 1)
  t.equal(unifiedDiff('large.js', large, `${large}y`).length < 200, true, 'named only')
  t.end()
})
