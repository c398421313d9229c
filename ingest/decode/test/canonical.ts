import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { acceptProperties, hasOverflow } from '../canonical.js'

const nest = (levels: number): object => {
  let nested: object = {}
  for (let i = 1; i < levels; i++) nested = i % 2 === 0 ? [1, nested] : { a: 'ü"', b: nested }
  return nested
}

t.test('the canonical text equals JSON.stringify, to a depth of 64', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 60 }), (value) => {
      const properties = { value: JSON.parse(JSON.stringify(value)) as unknown }
      const text = JSON.stringify(properties)
      if (text.length < 2_000 && acceptProperties(properties) !== text) throw new Error('another text')
    }),
    { numRuns: cases(200) },
  )
  t.equal(acceptProperties(nest(64)), JSON.stringify(nest(64)))
})

t.test('deeper properties are refused, however deep they are', async (t) => {
  for (const levels of [65, 4_000, 500_000])
    t.same(acceptProperties(nest(levels)), { broken: 'must not be nested deeper than 64 levels' })
})

t.test('numbers too large for a double are found', async (t) => {
  for (const text of ['1e400', '[1e400]', '{"a":[{"b":-1e400}]}', '[[],{},1e309]'])
    t.ok(hasOverflow(JSON.parse(text)), text)
  for (const text of ['null', '[null]', '{"a":1.7976931348623157e308}', '"1e400"', '[[],{}]'])
    t.notOk(hasOverflow(JSON.parse(text)), text)
  t.notOk(hasOverflow(JSON.parse(`${'['.repeat(1e6)}${']'.repeat(1e6)}`)), 'at any depth')
})

t.test(
  'properties with more members than their bytes allow are refused before they are written out',
  async (t) => {
    const broken = { broken: 'must have at most 8192 bytes as compact JSON' }
    const most = { a: Array(4_092).fill(1) }
    t.equal(acceptProperties(most), JSON.stringify(most))
    for (const many of [Array(4_097).fill(1), Array(5).fill(Array(1_000).fill(1))])
      t.same(acceptProperties({ a: many, toJSON: () => t.fail('written out') }), broken)
  },
)
