import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'

t.test('what the clients know of the API is what the OpenAPI document says', async (t) => {
  const root = packageRoot()
  const made = spawnSync(process.execPath, [join(root, 'scripts', 'client-types.mjs'), '--check'], {
    encoding: 'utf8',
  })
  t.equal(made.status, 0, made.stderr)
  t.equal(made.stdout, '', 'after a change of the API: npx tsc -p . && node scripts/client-types.mjs')
})
