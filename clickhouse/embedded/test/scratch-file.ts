import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { readChunks, removeScratchFile, scratchFiles } from '../scratch-files.js'

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

t.test('a released file gets the next rows, and only those', (t) => {
  const files = scratchFiles(t.testdir())
  const rows = (letter: string, megabytes: number) => Buffer.alloc(megabytes * 1024 * 1024, letter)
  const first = files.write([rows('a', 3)])
  const beside = files.write([rows('b', 1)])
  t.not(beside, first, 'what is being read is not overwritten')
  files.release(first)
  const small = files.write([Buffer.from('small')])
  t.not(small, first)
  files.release(small)
  t.throws(() => statSync(small))
  t.equal(files.write([rows('c', 1), rows('d', 1)]), first)
  t.ok(readFileSync(first).equals(Buffer.concat([rows('c', 1), rows('d', 1)])))
  files.release(first)
  files.release(beside)
  t.throws(() => statSync(first), 'one file waits at most')
  t.equal(files.write([rows('e', 2)]), beside)
  t.ok(readFileSync(beside).equals(rows('e', 2)))
  files.release(beside)
  files.close()
  t.throws(() => statSync(beside))
  t.end()
})

t.test('a file for the engine to write is empty, for this user only, and read in chunks', async (t) => {
  const path = scratchFiles(t.testdir()).reserve(1_000_000)
  t.equal(statSync(path).size, 0)
  t.equal(statSync(path).mode & 0o777, 0o600)
  const bytes = Buffer.from(Uint32Array.from({ length: 500_000 }, (_, index) => index).buffer)
  writeFileSync(path, bytes)
  const read: Uint8Array[] = []
  for await (const chunk of readChunks(path)) read.push(Uint8Array.from(chunk))
  t.ok(read.length > 1)
  t.ok(Buffer.concat(read).equals(bytes))
  for await (const chunk of readChunks(path)) {
    t.ok(chunk.length > 0)
    break
  }
  removeScratchFile(path)
})

t.test('a file larger than the memory limit is on disk', async (t) => {
  const scratchDir = t.testdir()
  const path = scratchFiles(t.testdirName, scratchDir).reserve(2 ** 50)
  t.ok(path.startsWith(scratchDir))
  removeScratchFile(path)
})
