import { createHash } from 'node:crypto'
import t from 'tap'
import { buildOpenApi } from '../../../http/openapi/openapi.js'
import { routes } from '../../../routes.js'
import { bucketingDocument } from '../bucketing.js'
import { Reference } from '../reference.js'

const reference = new Reference(() => buildOpenApi(routes))
const text = String(reference.answer('GET', '/reference/bucketing.json', undefined)?.body)
const document = JSON.parse(text) as ReturnType<typeof bucketingDocument>

t.test('the contract is served at both paths without a key, as JSON with escapes', (t) => {
  for (const path of ['/reference/bucketing.json', '/v1/reference/bucketing.json']) {
    const answer = reference.answer('GET', path, undefined)
    t.match(answer, {
      status: 200,
      body: text,
      headers: { 'Content-Type': /^application\/json/, ETag: /^"/ },
    })
    t.equal(reference.answer('GET', path, answer?.headers.ETag)?.status, 304)
    t.equal(reference.answer('HEAD', path, undefined)?.status, 200)
    t.throws(() => reference.answer('POST', path, undefined), { code: 'METHOD_NOT_ALLOWED' })
  }
  t.match(text, '"\\ud800"')
  t.match(text, '"\\udc00\\ud800"')
  t.equal(Buffer.from(text, 'utf8').toString('utf8'), text, 'no half of a pair is lost on the way')
  t.strictSame(document, JSON.parse(JSON.stringify(bucketingDocument())))
  t.end()
})

t.test('the vectors cover common mistakes of implementations', (t) => {
  const units = document.vectors.map((vector) => vector.unitId)
  t.ok(document.vectors.length >= 50, String(document.vectors.length))
  for (const unit of ['', 'a', '\u00ff', '\u0100', '\u{1f600}', '\ud800', '\udfff', '\udc00\ud800'])
    t.ok(units.includes(unit), JSON.stringify(unit))
  t.ok(document.vectors.some((vector) => vector.experimentKey === '' && vector.unitId === ''))
  t.ok(document.vectors.some((vector) => vector.splits.includes(0)))
  const indexes = new Set(document.vectors.map((vector) => vector.variantIndex))
  t.ok(indexes.size >= 4)
  for (const { splits } of document.vectors)
    t.equal(
      splits.reduce((sum, split) => sum + split, 0),
      100,
    )
  t.end()
})

t.test('every vector is right by big integer arithmetic', (t) => {
  const fnv = (units: number[]): bigint =>
    units.reduce((hash, unit) => ((hash ^ BigInt(unit)) * 0x0100_0193n) & 0xffff_ffffn, 0x811c_9dc5n)
  const unitsOf = (value: string) => Array.from({ length: value.length }, (_, i) => value.charCodeAt(i))
  for (const { experimentKey, unitId, splits, n, variantIndex } of document.vectors) {
    const inner = fnv([...unitsOf(experimentKey), ...unitsOf(unitId)])
    const bucket = fnv(unitsOf(String(inner))) % 10_000n
    const what = JSON.stringify([experimentKey, unitId])
    t.equal(BigInt(Math.round(n * 10_000)), bucket, what)
    const before = splits.slice(0, variantIndex).reduce((sum, split) => sum + BigInt(split) * 100n, 0n)
    const end = before + BigInt(splits[variantIndex] ?? 0) * 100n
    t.ok(before <= bucket && bucket < end, what)
  }
  t.end()
})

t.test('the contract is frozen', (t) => {
  const frozen = createHash('sha256').update(JSON.stringify(document.vectors)).digest('hex')
  t.equal(frozen, '0cd5fdc86b40f3906231bf71234e9c9c7c5e53eeb067e65f36c0e50239c38c80')
  t.equal(document.version, 1)
  t.match(document.spec, 'NOT UTF-8 bytes')
  t.end()
})
