import t from 'tap'
import { duration, paint, signed, when, whole } from '../look.js'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')

t.test('times: how long ago on a terminal, written out elsewhere', async (t) => {
  const terminal = { columns: 80, colour: false, now: NOW }
  t.equal(when(terminal, '2026-03-01T11:59:59.500Z'), 'now')
  t.equal(when(terminal, '2026-03-01T11:55:00.000Z'), '5m ago')
  t.equal(when(terminal, '2026-02-27T11:00:00.000Z'), '2d ago')
  t.equal(when(terminal, '2026-03-01T15:00:00.000Z'), 'in 3h')
  t.equal(when(terminal, '2025-03-01T15:00:00.000Z'), '2025-03-01')
  t.equal(when({ ...terminal, columns: undefined }, '2026-03-01T11:55:00.000Z'), '2026-03-01T11:55:00.000Z')
  t.equal(when(terminal, null), '-')
})

t.test('figures', async (t) => {
  t.equal(duration(400), '400ms')
  t.equal(duration(2_500), '2.5s')
  t.equal(duration(604_800_000), '7d')
  t.equal(duration(90_061_000), '1d 1h')
  t.equal(whole(1_234_567), '1,234,567')
  t.equal(signed(-0.0001), '0.0%')
  t.equal(signed(0.123), '+12.3%')
  t.equal(signed(null), '-')
  t.equal(paint({ colour: false }, 'red', 'x'), 'x')
  t.equal(paint({ colour: true }, 'red', 'x'), '\u001b[31mx\u001b[39m')
})
