import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../test/support/cases.js'
import { classifyKey, formatKey, KEY_PREFIXES, type KeyClass, SCOPES } from '../key.js'

const classes = Object.keys(KEY_PREFIXES) as KeyClass[]
const randomBytes = fc
  .uint8Array({ minLength: 64, maxLength: 64 })
  .filter((b) => b.filter((x) => x < 248).length >= 31)
const keys = fc.tuple(fc.constantFrom(...classes), randomBytes)

t.test('a key names its class and is well-formed', async (t) => {
  fc.assert(
    fc.property(keys, ([keyClass, random]) => {
      const key = formatKey(keyClass, random)
      return (
        key.startsWith(KEY_PREFIXES[keyClass]) &&
        key.length === KEY_PREFIXES[keyClass].length + 37 &&
        /^[A-Za-z0-9_]+$/.test(key) &&
        classifyKey(key) === keyClass
      )
    }),
  )
  t.same(KEY_PREFIXES, {
    api: 'tsk_api_',
    server: 'tsk_secret_',
    publishable: 'tsk_live_',
    session: 'tsk_sess_',
    once: 'tsk_once_',
  })
  t.same(SCOPES, ['proposals.review', 'experiments.manage', 'experiments.decide', 'funnels.manage'])
})

t.test('the form is fixed: keys that were given out stay valid', async (t) => {
  const key = formatKey(
    'server',
    new Uint8Array(64).map((_, i) => i * 3),
  )
  t.equal(key.slice(0, -6), 'tsk_secret_0369CFILORUXadgjmpsvy147ADGJMPS')
  t.equal(classifyKey(key), 'server')
})

t.test('a key with one wrong character is refused', async () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_- .é'
  fc.assert(
    fc.property(keys, fc.nat(60), fc.constantFrom(...alphabet), ([keyClass, random], place, character) => {
      const key = formatKey(keyClass, random)
      const at = place % key.length
      const changed = key.slice(0, at) + character + key.slice(at + 1)
      return changed === key || classifyKey(changed) === undefined
    }),
    { numRuns: cases(3_000) },
  )
})

t.test('a key with two characters exchanged, one missing or one too many is refused', async () => {
  fc.assert(
    fc.property(keys, fc.nat(60), ([keyClass, random], place) => {
      const key = formatKey(keyClass, random)
      const at = place % (key.length - 1)
      const exchanged = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2)
      return (
        (exchanged === key || classifyKey(exchanged) === undefined) &&
        classifyKey(key.slice(0, at) + key.slice(at + 1)) === undefined &&
        classifyKey(`${key.slice(0, at)}0${key.slice(at)}`) === undefined
      )
    }),
    { numRuns: cases(1_000) },
  )
})

t.test('a class cannot be exchanged for another', async (t) => {
  const random = new Uint8Array(64).map((_, i) => i)
  for (const one of classes)
    for (const other of classes) {
      const key = KEY_PREFIXES[other] + formatKey(one, random).slice(KEY_PREFIXES[one].length)
      t.equal(classifyKey(key), one === other ? one : undefined)
    }
})

t.test('other texts are no keys', async (t) => {
  for (const key of [
    '',
    'tsk_api_',
    'tsk_secret_abc',
    'Bearer x',
    'tsk_',
    `tsk_api_${'0'.repeat(37)}`,
    '\u0000',
  ])
    t.equal(classifyKey(key), undefined)
  fc.assert(fc.property(fc.string(), (text) => classifyKey(text) === undefined))
})

t.test('large random bytes are skipped, so that every character is equally likely', async (t) => {
  const bytes = new Uint8Array(64).fill(255)
  t.throws(() => formatKey('api', bytes), RangeError, 'too few random bytes')
  bytes.fill(247, 33)
  t.match(formatKey('api', bytes), /^tsk_api_z{31}/)
  t.throws(() => formatKey('api', new Uint8Array(30)), RangeError)
})
