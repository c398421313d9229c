import t from 'tap'
import { SCOPES } from '../../../domain/key.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { withDatabase } from '../../test/support/database.js'
import { findCredential, hashCredential } from '../credentials.js'
import { type DemoKeys, ensureDemoWorkspace } from '../demo.js'
import { listWorkspaces } from '../workspaces.js'

const { sql } = await withDatabase(t)
const secret = new Uint8Array(32).fill(9)

t.test('keys that cannot be saved are not created', async (test) => {
  await test.rejects(
    ensureDemoWorkspace(sql, secret, () => {
      throw new Error('disk full')
    }),
    { message: 'disk full' },
  )
  test.strictSame([...(await listWorkspaces(sql))], [])
})

t.test('one of two first starts creates the workspace; later ones change nothing', async (test) => {
  const saved: DemoKeys[] = []
  const save = async (keys: DemoKeys): Promise<void> => {
    saved.push(keys)
    // The other one waits for the lock before it looks whether there is a workspace.
    await waitUntil(async () => (await sql`select from pg_locks where not granted`).length > 0)
  }
  const results = await Promise.all([
    ensureDemoWorkspace(sql, secret, save),
    ensureDemoWorkspace(sql, secret, save),
  ])
  test.equal(saved.length, 1)
  const keys = saved[0]
  if (keys === undefined) throw new Error('nothing saved')
  test.strictSame(
    results.filter((result) => result !== undefined),
    [keys],
  )
  test.strictSame(Object.keys(keys), [
    'workspaceId',
    'apiKey',
    'readOnlyKey',
    'serverKey',
    'publishableKey',
    'sessionToken',
  ])
  test.strictSame(
    (await listWorkspaces(sql)).map(({ id, name }) => ({ id, name })),
    [{ id: keys.workspaceId, name: 'Demo' }],
  )
  const expected = [
    ['apiKey', 'api', SCOPES],
    ['readOnlyKey', 'api', []],
    ['serverKey', 'server', []],
    ['publishableKey', 'publishable', []],
    ['sessionToken', 'session', SCOPES],
  ] as const
  for (const [name, kind, scopes] of expected) {
    const credential = await findCredential(sql, hashCredential(secret, keys[name]))
    test.equal(credential?.kind, kind, name)
    test.equal(credential?.workspace.id, keys.workspaceId, name)
    test.strictSame(credential?.scopes, scopes, name)
  }
})
