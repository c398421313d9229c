import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { writePrivateFile } from '../private-file.js'

t.test('new contents replace old ones only on request', async (test) => {
  const folder = test.testdir()
  const path = join(folder, 'file')
  test.equal(writePrivateFile(path, 'one', false), true)
  test.equal(writePrivateFile(path, 'two', false), false)
  test.equal(readFileSync(path, 'utf8'), 'one')
  test.equal(writePrivateFile(path, 'three', true), true)
  test.equal(readFileSync(path, 'utf8'), 'three')
  test.equal(statSync(path).mode & 0o777, 0o600)
  test.strictSame(readdirSync(folder), ['file'], 'no draft is left')
})

t.test('a symbolic link in the place of the file is not followed', async (test) => {
  const folder = test.testdir({ victim: 'untouched' })
  const path = join(folder, 'file')
  symlinkSync(join(folder, 'victim'), `${path}.${process.pid}.new`)
  writePrivateFile(path, 'secret', true)
  test.equal(readFileSync(join(folder, 'victim'), 'utf8'), 'untouched')
})
