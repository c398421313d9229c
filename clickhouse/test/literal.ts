import t from 'tap'
import { parameterText, placeholders, quote, settingText } from '../literal.js'

t.test('texts are quoted', (t) => {
  t.equal(quote("it's \\ \0\n\t"), "'it\\'s \\\\ \\0\\n\\t'")
  t.end()
})

t.test('values that cannot be bound exactly are refused', (t) => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
    t.throws(() => parameterText(value), RangeError)
  for (const value of [new Date(0), new Uint8Array(1), Symbol('s'), { a: 1 }])
    t.throws(() => parameterText(value), TypeError)
  t.throws(() => parameterText([[new Date(0)]]), TypeError)
  t.equal(parameterText(null), '\\N')
  t.equal(parameterText(['a', null, 1n, [true]]), "['a',NULL,1,[true]]")
  t.end()
})

t.test('settings are named and quoted', (t) => {
  t.equal(settingText('max_threads', 2), 'max_threads=2')
  t.equal(settingText('a', true), 'a=1')
  t.equal(settingText('log_comment', "'"), "log_comment='\\''")
  t.throws(() => settingText('a=1, b', 2), TypeError)
  t.end()
})

t.test('the placeholders of a statement are found, each once', (t) => {
  t.same(placeholders('SELECT {a:UInt8}, {b_1:Array(String)}, {a:UInt8}'), new Set(['a', 'b_1']))
  t.end()
})
