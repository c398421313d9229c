import t from 'tap'
import { UUID_PATTERN } from '../../domain/uuid.js'
import { newRequestId } from '../request-id.js'

t.test('ids are UUIDs of their time, and all different', async (t) => {
  const now = Date.UTC(2026, 10, 21, 9, 30)
  const ids = Array.from({ length: 2_000 }, () => newRequestId(now))
  t.equal(new Set(ids).size, ids.length)
  for (const id of ids) {
    if (!UUID_PATTERN.test(id) || id[14] !== '7') t.fail(id)
    if (Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) !== now) t.fail(id)
  }
})
