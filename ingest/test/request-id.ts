import t from 'tap'
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
