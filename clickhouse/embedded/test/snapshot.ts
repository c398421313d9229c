import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { temporaryFolder } from '../../../repositories/test/support/git-repository.js'
import { snapshotEngine } from '../snapshot.js'

t.test('events are copied after the tables of their views, whatever the order of folders', async (t) => {
  const source = temporaryFolder(t)
  const folders = new Map<string, string>()
  mkdirSync(join(source, 'data', 'svc'), { recursive: true })
  for (const [i, table] of ['event_names', 'events', 'event_order', 'exposures'].entries()) {
    const folder = join('store', `${i}a`, `${i}`)
    folders.set(table, folder)
    mkdirSync(join(source, folder, 'all_1_1_0'), { recursive: true })
    writeFileSync(join(source, folder, 'all_1_1_0', 'checksums.txt'), table)
    symlinkSync(join('..', '..', folder), join(source, 'data', 'svc', table))
  }
  const target = join(temporaryFolder(t), 'copy')
  snapshotEngine(source, target)
  const copiedAt = (table: string): bigint =>
    statSync(join(target, folders.get(table) ?? '', 'all_1_1_0'), { bigint: true }).birthtimeNs
  for (const table of folders.keys()) {
    t.ok(statSync(join(target, 'data', 'svc', table, 'all_1_1_0', 'checksums.txt')).isFile(), table)
    if (table !== 'events') t.ok(copiedAt(table) <= copiedAt('events'), table)
  }
})
