import t from 'tap'
import { UUID_PATTERN } from '../../domain/uuid.js'
import { newRequestId } from '../request-id.js'

t.test('ids are UUIDv7, of their time, and differ', async (t) => {
  const at = Date.parse('2026-03-01T12:00:00.000Z')
  const ids = new Set<string>()
  for (let i = 0; i < 10_000; i++) ids.add(newRequestId(at))
  t.equal(ids.size, 10_000)
  for (const id of ids) {
    if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)) t.fail(id)
    if (Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) !== at) t.fail(id)
  }
})

t.test('ids beyond one batch of random bytes differ too', async (t) => {
  const now = Date.UTC(2026, 10, 21, 9, 30)
  const ids = Array.from({ length: 2_000 }, () => newRequestId(now))
  t.equal(new Set(ids).size, ids.length)
  for (const id of ids) {
    if (!UUID_PATTERN.test(id) || id[14] !== '7') t.fail(id)
    if (Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) !== now) t.fail(id)
  }
})
