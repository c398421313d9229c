import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { withDatabase } from '../../test/support/database.js'

const { sql } = await withDatabase(t)

const texts = fc.array(
  fc.oneof(
    fc.string(),
    fc.constantFrom('NULL', 'null', '', ' ', '{', '}', ',', '"', '\\', 'a"b\\c,{d}', 'é😀'),
  ),
)
const CASES: Readonly<Record<string, fc.Arbitrary<unknown[]>>> = {
  text: texts.map((all) => all.map((one) => one.replaceAll('\0', ''))),
  uuid: fc.array(fc.uuid()),
  boolean: fc.array(fc.boolean()),
  smallint: fc.array(fc.integer({ min: -32_768, max: 32_767 })),
  integer: fc.array(fc.integer()),
  bigint: fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
  'double precision': fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0)),
  timestamptz: fc.array(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })),
  bytea: fc.array(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
}

/** The driver takes these in arrays as texts only. */
function toText(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  return typeof value === 'boolean' ? String(value) : value
}

for (const [type, values] of Object.entries(CASES))
  t.test(`arrays of ${type} are read back unchanged`, async () => {
    await fc.assert(
      fc.asyncProperty(values, async (sent) => {
        // A type's name cannot be a parameter.
        const [row] = await sql.unsafe(`select $1::${type}[] as back, cardinality($1::${type}[]) as length`, [
          sent.map(toText) as never,
        ])
        return row?.length === sent.length && isDeepStrictEqual([...row.back], sent)
      }),
      { numRuns: cases(40) },
    )
  })

t.test('empty and nested arrays, nulls and other bounds are read back unchanged', async (t) => {
  const [row] = await sql`
    select ${[null, 'a', null]}::text[] as nulls, array[[1, 2], [3, 4]] as nested, '[5:6]={7,8}'::integer[] as shifted,
      '{}'::uuid[] as empty, array['{"a": [1, "}"]}'::jsonb, 'null'] as documents, array[date '2026-11-21'] as days`
  t.strictSame(
    { ...row },
    {
      nulls: [null, 'a', null],
      nested: [
        [1, 2],
        [3, 4],
      ],
      shifted: [7, 8],
      empty: [],
      documents: [{ a: [1, '}'] }, null],
      days: [new Date('2026-11-21')],
    },
  )
  const found = await sql`select 1 from generate_series(1, 5) as n where n = any(${[2, 3]})`
  t.equal(found.length, 2)
})
