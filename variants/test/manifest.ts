import fc from 'fast-check'
import t from 'tap'
import { manifestPath, readManifest, writeManifest } from '../manifest.js'
import type { Manifest } from '../port.js'

const text = fc.string({ unit: 'binary', maxLength: 20 })
const key = fc.stringMatching(/^[a-z0-9]{1,5}(-[a-z0-9]{1,5})?$/)
const region = fc.record({
  before: text,
  written: text,
  variants: fc.dictionary(key, text, { noNullPrototype: true }),
  plain: text,
  around: fc.tuple(text, text),
})
const file = fc.oneof(
  fc.record({ action: fc.constant('modify' as const), regions: fc.array(region, { maxLength: 3 }) }),
  fc.record({ action: fc.constantFrom('create' as const, 'delete' as const), content: text }),
)
const manifest: fc.Arbitrary<Manifest> = fc.record({
  form: fc.constant(1 as const),
  experiment: key,
  helper: fc.constantFrom(null, 'src/svc-experiments.js'),
  files: fc.dictionary(fc.stringMatching(/^[a-z]{1,4}\/[a-z]{1,4}\.ts$/), file, { noNullPrototype: true }),
})

t.test('a written manifest is read back', async (t) => {
  fc.assert(
    fc.property(manifest, (one) => {
      const source = writeManifest(one)
      t.same(readManifest(source, one.experiment), { ok: true, manifest: one })
      return !/[\u2028\u2029]/.test(source)
    }),
    { numRuns: 50 },
  )
  t.equal(manifestPath('hero'), '.svc/experiments/hero.json')
})

t.test('a manifest that this version did not write is refused', async (t) => {
  const whole = { form: 1, experiment: 'hero', helper: null, files: {} as Record<string, unknown> }
  const refused = (value: unknown): string => {
    const result = readManifest(typeof value === 'string' ? value : JSON.stringify(value), 'hero')
    return result.ok ? 'taken' : result.message
  }
  t.equal(refused(whole), 'taken')
  t.match(refused('{'), 'no JSON')
  t.match(refused({ ...whole, form: 2 }), 'form that is not known')
  t.match(refused({ ...whole, experiment: 'other' }), 'another experiment')
  t.match(refused({ ...whole, more: 1 }), 'additional')
  t.match(
    refused(
      `{"form":1,"experiment":"hero","helper":null,"files":{"__proto__":{"action":"create","content":""}}}`,
    ),
    'outside',
  )
  for (const path of ['../a', '/a', 'a/../../b', 'a\\b', '', '.git/config', 'a/.GIT/b', 'a\0b', './a'])
    t.match(refused({ ...whole, files: { [path]: { action: 'create', content: '' } } }), 'outside', path)
  t.match(refused({ ...whole, helper: '../x.js' }), 'outside')
  t.match(refused({ ...whole, files: { a: { action: 'run', content: '' } } }), 'not as it was written')
  t.match(
    refused({ ...whole, files: { a: { action: 'modify', regions: [{ before: 1 }] } } }),
    'not as it was written',
  )
})
