import { readdirSync, readFileSync, statSync } from 'node:fs'
import t from 'tap'
import { removeScratchFile, scratchFiles } from '../scratch-file.js'

t.test('all chunks are written, for this user only', (t) => {
  const files = scratchFiles(t.testdir())
  const chunks = Array.from({ length: 3_000 }, (_, index) => Buffer.from(`chunk ${index};`))
  const path = files.write([...chunks, new Uint8Array()])
  t.equal(readFileSync(path, 'utf8'), Buffer.concat(chunks).toString())
  t.equal(statSync(path).mode & 0o777, 0o600)
  t.not(files.write([]), path)
  removeScratchFile(path)
  removeScratchFile(path)
  t.throws(() => statSync(path))
  files.removeStale()
  for (const name of readdirSync('/dev/shm').filter((name) => name.includes(`-${process.pid}.`)))
    removeScratchFile(`/dev/shm/${name}`)
  t.end()
})
