import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { endOfCanonicalObject, endOfPlainString } from '../scan.js'

const proved = (text: string): boolean =>
  endOfCanonicalObject(Buffer.from(text), 0) === Buffer.byteLength(text)

/** What is proved must be true. */
function isCanonical(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === text
  } catch {
    return false
  }
}

t.test('the usual is proved', async (t) => {
  for (const text of [
    '{}',
    '{"a":1}',
    '{"a":{},"b":[],"c":[[],{}]}',
    '{"a":"x","b":-1.5,"c":true,"d":false,"e":null}',
    '{"a":[1,"2",{"b":[0.000001,123456789012345]}],"":0}',
    '{"a":"\\"\\\\\\b\\f\\n\\r\\t \u007f/"}',
    '{"__proto__":1,"constructor":{"__proto__":2}}',
    '{"a":{"a":{"a":1},"b":1},"b":1}',
  ]) {
    t.ok(isCanonical(text), text)
    t.ok(proved(text), text)
  }
})

t.test('what is not its own canonical text, or no JSON, is never proved', async (t) => {
  for (const text of [
    '',
    '[]',
    '1',
    '{',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,}',
    '{"a":1 }',
    '{ "a":1}',
    '{"a": 1}',
    '{"a":[1,]}',
    '{"a":[,1]}',
    '{"a":[1}',
    '{"a":{"b":1]}',
    '{"a":1,"a":2}',
    '{"a":1,"b":2,"a":3}',
    '{"b":1,"1":2}',
    '{"1":2}',
    '{"a":01}',
    '{"a":-}',
    '{"a":-0}',
    '{"a":1.0}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":-0.0}',
    '{"a":1e3}',
    '{"a":1E3}',
    '{"a":1.5e-3}',
    '{"a":0.0000001}',
    '{"a":1234567890123456}',
    '{"a":0.30000000000000001}',
    '{"a":"\\/"}',
    '{"a":"\\u0041"}',
    '{"\\n":1}',
    '{"a":"\t"}',
    '{"a":"\n"}',
    '{"a":"é"}',
    '{"é":1}',
    '{"a":"x}',
    '{"a":tru}',
    '{"a":True}',
    '{"a":nul}',
    '{"a":undefined}',
    '{"a":NaN}',
    "{'a':1}",
    '{"a":+1}',
    `{"a":${'['.repeat(40)}${']'.repeat(40)}}`,
    `{${Array.from({ length: 65 }, (_, i) => `"k${i}":1`).join(',')}}`,
  ])
    t.notOk(proved(text), text)
  t.equal(endOfCanonicalObject(Buffer.from('{"a":1}x'), 0), 7, 'what follows is not looked at')
  t.equal(endOfPlainString(Buffer.from('ab"'), 0), 2)
  t.equal(endOfPlainString(Buffer.from('ab'), 0), -1)
  t.equal(endOfPlainString(Buffer.from('a\\"'), 0), -1)
})

/** Texts near JSON: values written in many ways, and then damaged. */
const number = fc.oneof(
  fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
  fc.integer().map(String),
  fc.tuple(fc.integer({ min: -999_999, max: 999_999 }), fc.nat(9_999_999)).map(([a, b]) => `${a}.${b}`),
  fc.stringMatching(/^-?[0-9]{1,17}(\.[0-9]{1,17})?([eE][+-]?[0-9]{1,3})?$/),
)
const string = fc.oneof(
  fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
  fc.stringMatching(/^"([ -~]|\\["\\/bfnrtu]){0,5}"$/),
)
const key = fc.oneof(fc.constantFrom('"a"', '"b"', '"0"', '"1a"', '"__proto__"', '"aa"', '""'), string)
const { value } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    fc.constantFrom('true', 'false', 'null', '{}', '[]'),
    number,
    string,
    tie('object'),
    tie('array'),
  ),
  object: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 4 })
    .map((members) => `{${members.map(([name, member]) => `${name}:${member}`).join(',')}}`),
  array: fc.array(tie('value'), { maxLength: 4 }).map((elements) => `[${elements.join(',')}]`),
}))
const text = fc
  .tuple(
    value,
    fc.option(fc.tuple(fc.nat(), fc.constantFrom('', ' ', ',', '"', '}', '{', ':', '0', '\\', '.'))),
  )
  .map(([inner, damage]) => {
    const whole = `{"p":${inner}}`
    if (damage === null) return whole
    const at = damage[0] % whole.length
    return whole.slice(0, at) + damage[1] + whole.slice(at + (damage[0] % 2))
  })

t.test('of texts near JSON only canonical ones are proved, and most of those', async (t) => {
  let canonical = 0
  let found = 0
  fc.assert(
    fc.property(text, (candidate) => {
      const isSo = isCanonical(candidate)
      const isProved = proved(candidate)
      if (isSo) canonical++
      if (isProved) found++
      return isSo || !isProved
    }),
    { numRuns: cases(20_000) },
  )
  t.ok(canonical > 1_000, `${canonical} canonical`)
  t.ok(found > canonical * 0.3, `${found} of ${canonical} proved`)
})

t.test('every number that is proved is its own text', async () => {
  fc.assert(
    fc.property(number, (digits) => isCanonical(`{"n":${digits}}`) || !proved(`{"n":${digits}}`)),
    { numRuns: cases(20_000) },
  )
})
