import t from 'tap'
import { MigrationError, pendingMigrations, readMigrations } from '../migrations.js'

t.test('files are applied in order, once, and only the history they know', async (t) => {
  const folder = t.testdir({ '002-b.sql': 'b', '001-a.sql': 'a', 'notes.txt': '', '010-c.sql': 'c' })
  const known = readMigrations(folder)
  t.same(
    known.map(({ version, name, sql }) => [version, name, sql]),
    [
      [1, 'a', 'a'],
      [2, 'b', 'b'],
      [10, 'c', 'c'],
    ],
  )
  const [first] = known
  if (first === undefined) return t.fail('no migration')
  t.same(
    pendingMigrations('Postgres', known, [first]).map(({ version }) => version),
    [2, 10],
  )
  t.throws(() => pendingMigrations('Postgres', known, [{ version: 11, checksum: '' }]), MigrationError)
  t.throws(() => pendingMigrations('Postgres', known, [{ version: 11, checksum: '' }]), {
    message: /newer than the 10/,
  })
  t.throws(() => pendingMigrations('Postgres', known, [{ version: 1, checksum: 'other' }]), MigrationError)
})

t.test('two files with one number are refused', async (t) => {
  const folder = t.testdir({ '001-a.sql': 'a', '002-b.sql': 'b', '002-c.sql': 'c' })
  t.throws(() => readMigrations(folder), { message: '002-b.sql and 002-c.sql have the same number' })
})
