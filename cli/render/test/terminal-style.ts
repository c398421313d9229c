import t from 'tap'
import { colorize, formatAge } from '../terminal-style.js'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')

t.test('times are relative on a terminal and absolute elsewhere', async (t) => {
  const terminal = { columns: 80, color: false, now: NOW }
  t.equal(formatAge(terminal, '2026-03-01T11:59:59.500Z'), 'now')
  t.equal(formatAge(terminal, '2026-03-01T11:55:00.000Z'), '5m ago')
  t.equal(formatAge(terminal, '2026-02-27T11:00:00.000Z'), '2d ago')
  t.equal(formatAge(terminal, '2026-03-01T15:00:00.000Z'), 'in 3h')
  t.equal(formatAge(terminal, '2025-03-01T15:00:00.000Z'), '2025-03-01')
  t.equal(
    formatAge({ ...terminal, columns: undefined }, '2026-03-01T11:55:00.000Z'),
    '2026-03-01T11:55:00.000Z',
  )
  t.equal(formatAge(terminal, null), '-')
})

t.test('colours are written only to a terminal', async (t) => {
  t.equal(colorize({ color: false }, 'red', 'x'), 'x')
  t.equal(colorize({ color: true }, 'red', 'x'), '\u001b[31mx\u001b[39m')
})
