import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { readVersion } from '../../runtime/version.js'
import { restoreBackup } from '../restore.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-restore-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const file = (path: string) => ({ path, bytes: 1, sha256: sha256('x') })
const link = (path: string, target: string) => ({ path, target })

/** Restores a backup that someone has written by hand. The table that it lacks ends it early. */
async function restore(parts: { files?: object[]; links?: object[] }): Promise<string> {
  const source = mkdtempSync(join(folder, 'backup-'))
  const dataDir = join(source, 'data')
  const manifest = {
    format: 1,
    svc: readVersion(),
    migrations: [],
    postgres: { tables: [{ name: 'missing', columns: ['id'] }], sequences: [] },
    files: [file('log/a')],
    links: [],
    ...parts,
  }
  const text = JSON.stringify(manifest)
  writeFileSync(join(source, 'manifest.json'), text)
  writeFileSync(join(source, 'manifest.sha256'), sha256(text))
  mkdirSync(join(source, 'log'))
  writeFileSync(join(source, 'log', 'a'), 'x')
  const error = await restoreBackup({ source, dataDir, report: () => {} }).catch((cause: Error) => cause)
  if (existsSync(dataDir)) t.strictSame(readdirSync(dataDir), [], 'nothing is left')
  return error instanceof Error ? error.message : 'restored'
}

t.test('a backup leads to nothing outside of the data directory', async (t) => {
  for (const parts of [
    { files: [file('../a')] },
    { files: [file('/tmp/a')] },
    { files: [file('log/../../a')] },
    { links: [link('../a', 'log')] },
    { links: [link('log/b', '/etc')] },
    { links: [link('log/b', '../../etc')] },
    { links: [link('log/b', 'c/../../../etc')] },
    { links: [link('log/b', '../log'), link('log/b/c', '../etc')] },
    { links: [link('a/b/l', '../..'), link('c', 'a/b/l/../..')] },
    { files: [file('log/a')], links: [link('log', 'clickhouse')] },
  ])
    t.match(await restore(parts), /^the backup names .*, which is not in it$/, JSON.stringify(parts))
  t.match(await restore({ links: [link('log/b/c', '../a')] }), /lacks the table missing/)
})
