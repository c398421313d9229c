import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'

t.test('what the client knows of the API is what the OpenAPI document says', async (t) => {
  const root = packageRoot()
  const made = spawnSync(process.execPath, [join(root, 'scripts', 'client-types.mjs'), '--print'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  t.equal(made.status, 0, made.stderr)
  t.ok(
    made.stdout === readFileSync(join(root, 'cli', 'client', 'operations.ts'), 'utf8'),
    'after a change of the API: npx tsc -p . && node scripts/client-types.mjs',
  )
})
