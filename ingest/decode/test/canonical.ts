import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { canonicalProperties, hasOverflow } from '../canonical.js'

t.test('is JSON.stringify, also where that runs out of stack', async (t) => {
  const nest = (value: unknown, levels: number): object => {
    let nested: object = { value }
    for (let i = 0; i < levels; i++)
      nested = i % 2 === 0 ? [nested, 1] : { a: 'ü"', __proto__x: nested, b: null }
    return nested
  }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const levels = 20_000
      const parsed: unknown = JSON.parse(JSON.stringify(value))
      const text = canonicalProperties(nest(parsed, levels), Number.POSITIVE_INFINITY)
      const inner = JSON.stringify({ value: parsed })
      const at = text?.indexOf(inner) ?? -1
      if (text === undefined || at === -1) throw new Error('the innermost value differs')
      // What stands around it is the same for every value.
      const around =
        canonicalProperties(nest(0, levels), Number.POSITIVE_INFINITY)?.split('{"value":0}') ?? []
      if (text !== around.join(inner)) throw new Error('the nesting differs')
    }),
    { numRuns: cases(20) },
  )
  t.equal(canonicalProperties(nest(0, 10), 10_000), JSON.stringify(nest(0, 10)))
})

t.test('stops where the text is surely too long', async (t) => {
  let nested: unknown[] = []
  for (let i = 0; i < 500_000; i++) nested = [nested]
  t.equal(canonicalProperties(nested, 8_192), undefined)
})

t.test('finds numbers too large for a double', async (t) => {
  for (const text of ['1e400', '[1e400]', '{"a":[{"b":-1e400}]}', '[[],{},1e309]'])
    t.ok(hasOverflow(JSON.parse(text)), text)
  for (const text of ['null', '[null]', '{"a":1.7976931348623157e308}', '"1e400"', '[[],{}]'])
    t.notOk(hasOverflow(JSON.parse(text)), text)
  t.notOk(hasOverflow(JSON.parse(`${'['.repeat(1e6)}${']'.repeat(1e6)}`)), 'at any depth')
})
