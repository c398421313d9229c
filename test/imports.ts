import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../runtime/package-root.js'
import { script } from './support/scripts.js'

const { rootFolders } = await script<{ rootFolders(): string[] }>('folders.mjs')
const FOLDERS = rootFolders().filter((folder) => folder !== 'bench' && folder !== 'test')

t.test('imports go the allowed ways only, and in no circle', async (t) => {
  const root = packageRoot()
  const run = spawnSync(
    join(root, 'node_modules/.bin/depcruise'),
    ['--config', '.dependency-cruiser.json', '--output-type', 'err-long', ...FOLDERS, 'bench'],
    { cwd: root, encoding: 'utf8' },
  )
  t.equal(run.status, 0, run.stdout + run.stderr)
})

t.test('the environment is read in config files only', async (t) => {
  const root = packageRoot()
  const readers = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => join(folder, file))
      .filter((file) => file.endsWith('.ts') && !file.includes('/test/'))
      .filter((file) => /process\.env\b/.test(readFileSync(join(root, file), 'utf8'))),
  )
  const allowed = (file: string): boolean =>
    file.endsWith('config.ts') || ['start/programs/from-environment.ts'].includes(file)
  t.same(
    readers.filter((file) => !allowed(file)),
    [],
  )
})
