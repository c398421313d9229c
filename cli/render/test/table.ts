import fc from 'fast-check'
import t from 'tap'
import { displayWidth } from '../../output.js'
import { renderRecord, renderTable } from '../table.js'

const wide = fc.string({ unit: fc.constantFrom('a', 'ß', '日', '🙂', ' ', '\u001b', 'é'), maxLength: 40 })

t.test('a table whose columns can be cut or dropped is never wider than the terminal', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(wide, wide, wide), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 24, max: 120 }),
      (rows, columns) => {
        const text = renderTable(
          { columns, color: false, now: 0 },
          [
            { title: 'key', text: ([key]) => key, minWidth: 10 },
            { title: 'name', text: ([, name]) => name, minWidth: 10 },
            { title: 'more', text: ([, , more]) => more, dropPriority: 1 },
          ],
          rows,
        )
        return text.split('\n').every((line) => displayWidth(line) <= columns && !line.includes('\u001b'))
      },
    ),
  )
})

t.test('columns are dropped before any is cut, and the widest is cut first', async (t) => {
  const columns = [
    { title: 'key', text: () => 'shorter-checkout', minWidth: 6 },
    { title: 'status', text: () => 'running' },
    { title: 'later', text: () => 'x'.repeat(20), dropPriority: 1 },
  ]
  t.equal(
    renderTable({ columns: undefined, color: false, now: 0 }, columns, [0]).split('\n')[0],
    'KEY               STATUS   LATER',
  )
  t.equal(
    renderTable({ columns: 26, color: false, now: 0 }, columns, [0]),
    'KEY               STATUS\nshorter-checkout  running\n',
  )
  t.equal(
    renderTable({ columns: 18, color: false, now: 0 }, columns, [0]),
    'KEY        STATUS\nshorter-…  running\n',
  )
})

t.test('the values of a record wrap beside their names', async (t) => {
  t.equal(
    renderRecord({ columns: 20, color: false, now: 0 }, [
      ['key', 'a'],
      ['notes', 'one two three four'],
    ]),
    'key    a\nnotes  one two three\n       four\n',
  )
})
