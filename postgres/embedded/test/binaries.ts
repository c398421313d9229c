import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { temporaryFolder } from '../../test/support/server.js'
import { findBinaries, requireLinks } from '../binaries.js'

t.test('the programs for this machine are found', async (test) => {
  const { postgres, initdb } = findBinaries()
  test.ok(existsSync(postgres))
  test.ok(existsSync(initdb))
})

t.test('on a machine without a package the error names the remedy', async (test) => {
  test.throws(() => findBinaries('plan9', 'mips'), {
    name: 'EmbeddedPostgresError',
    message: /plan9-mips.*SVC_POSTGRES_URL/,
  })
})

t.test('symbolic links are made if no install script made them', async (test) => {
  const root = join(temporaryFolder(test), 'native')
  mkdirSync(join(root, 'lib'), { recursive: true })
  requireLinks(root)
  writeFileSync(join(root, 'lib', 'libpq.so.5.18'), '')
  writeFileSync(
    join(root, 'pg-symlinks.json'),
    JSON.stringify([{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]),
  )
  test.throws(() => requireLinks(root), { name: 'EmbeddedPostgresError', message: /run `npm rebuild`/ })
  symlinkSync('libpq.so.5.18', join(root, 'lib', 'libpq.so.5'))
  requireLinks(root)
})
