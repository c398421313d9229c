import { createHmac } from 'node:crypto'
import t from 'tap'
import { sipKey } from '../../domain/siphash.js'
import { workspaceHashKeys } from '../hash-keys.js'

const SECRET = Buffer.alloc(32, 7)
const ONE = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4051'
const OTHER = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4052'

t.test('hash keys differ between workspaces and between secrets', async (t) => {
  t.same(workspaceHashKeys(SECRET, ONE), workspaceHashKeys(SECRET, ONE))
  const all = [
    workspaceHashKeys(SECRET, ONE),
    workspaceHashKeys(SECRET, OTHER),
    workspaceHashKeys(Buffer.alloc(32, 8), ONE),
  ].flatMap((keys) => [JSON.stringify(keys.insertId), JSON.stringify(keys.person)])
  t.equal(new Set(all).size, 6)
})

t.test('stored hashes depend on the derivation: it never changes', async (t) => {
  const bytes = createHmac('sha256', SECRET).update(`svc hash keys ${ONE}`).digest()
  t.same(workspaceHashKeys(SECRET, ONE), {
    insertId: sipKey(bytes.subarray(0, 16)),
    person: sipKey(bytes.subarray(16)),
  })
})
