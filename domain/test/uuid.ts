import fc from 'fast-check'
import t from 'tap'
import { UUID_PATTERN, uuidFromRowBytes, uuidToRowBytes } from '../uuid.js'
import { openEngine } from './support/chdb.js'

t.test('a UUID survives its form in a row', async () => {
  fc.assert(
    fc.property(fc.uuid(), fc.nat(20), (uuid, at) => {
      const bytes = new Uint8Array(40)
      uuidToRowBytes(uuid, bytes, at)
      return (
        uuidFromRowBytes(bytes, at) === uuid && bytes.every((b, i) => b === 0 || (i >= at && i < at + 16))
      )
    }),
  )
})

t.test('upper case is accepted, and lower case is written', async (t) => {
  const bytes = new Uint8Array(16)
  uuidToRowBytes('0190A1B2-C3D4-7E5F-8A9B-0C1D2E3F4051', bytes, 0)
  t.equal(uuidFromRowBytes(bytes, 0), '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4051')
  t.equal(Buffer.from(bytes).toString('hex'), '5f7ed4c3b2a190' + '01' + '51403f2e1d0c9b8a')
})

t.test('texts that are not UUIDs are refused', async (t) => {
  for (const text of ['', 'x', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f405', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f405g'])
    t.throws(() => uuidToRowBytes(text, new Uint8Array(16), 0), RangeError)
  t.match('0190A1B2-c3d4-7e5f-8a9b-0c1d2e3f4051', UUID_PATTERN)
  t.notMatch('0190a1b2c3d47e5f8a9b0c1d2e3f4051', UUID_PATTERN)
  t.notMatch('0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4051\n', UUID_PATTERN)
})

t.test('ClickHouse reads the bytes as the same UUID', async (t) => {
  const engine = openEngine()
  t.teardown(() => engine.close())
  const uuids = fc.sample(fc.uuid(), 100)
  const bytes = new Uint8Array(uuids.length * 16)
  for (const [i, uuid] of uuids.entries()) uuidToRowBytes(uuid, bytes, i * 16)
  t.same(
    engine.readRowBinary(bytes, 'u UUID', 'toString(u)').map((row) => row[0]),
    uuids,
  )
})
