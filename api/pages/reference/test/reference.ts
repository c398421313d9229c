import t from 'tap'
import { readVersion } from '../../../../runtime/version.js'
import { unlessUnchanged, withEtag } from '../../../http/etag.js'
import { buildOpenApi } from '../../../http/openapi/openapi.js'
import { routes } from '../../../routes.js'
import { Reference } from '../reference.js'

const document = buildOpenApi(routes)
const version = readVersion()
const reference = new Reference(() => document)

t.test('the document and its page are served at the root and under /v1, to GET and HEAD', (t) => {
  for (const base of ['', '/v1']) {
    const json = reference.answer('GET', `${base}/reference/openapi.json`, undefined)
    t.strictSame(JSON.parse(String(json?.body)), JSON.parse(JSON.stringify(document)))
    t.match(json?.headers, { 'Content-Type': /^application\/json/, ETag: /^"/ })
    t.equal(reference.answer('HEAD', `${base}/reference`, undefined)?.status, 200)
    t.equal(reference.answer('GET', `${base}/reference`, json?.headers.ETag)?.status, 200)
    t.equal(reference.answer('GET', `${base}/reference/openapi.json`, json?.headers.ETag)?.status, 304)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      t.throws(() => reference.answer(method, `${base}/reference`, undefined), {
        code: 'METHOD_NOT_ALLOWED',
        headers: { Allow: 'GET, HEAD' },
      })
  }
  t.equal(reference.answer('GET', '/reference/', undefined), undefined)
  t.equal(reference.answer('GET', '/v1/v1/reference', undefined), undefined)
  t.equal(reference.answer('GET', '/reference/other.json', undefined), undefined)
  t.equal(reference.answer('POST', '/reference/other.json', undefined), undefined)
  t.equal(reference.answer('GET', '/reference/../reference/show.js', undefined), undefined)
  t.end()
})

t.test('the command line and the client libraries are served, under the name of this version', (t) => {
  for (const [name, file] of [
    ['svc.tgz', `svc-${version}.tgz`],
    ['svc-events.tgz', `svc-events-${version}.tgz`],
    [`svc_events-${version}-py3-none-any.whl`, `svc_events-${version}-py3-none-any.whl`],
  ]) {
    const served = reference.answer('GET', `/reference/${name}`, undefined)
    t.match(served, { status: 200, headers: { 'Content-Disposition': `attachment; filename="${file}"` } })
    t.equal(reference.answer('GET', `/v1/reference/${name}`, served?.headers.ETag)?.status, 304)
  }
  t.end()
})

t.test('a matching If-None-Match is answered with 304', (t) => {
  const answer = { status: 200, headers: { A: 'b' }, body: '{"x":1}' }
  const tag = withEtag(answer, undefined).headers.ETag ?? ''
  t.match(tag, /^"[\w-]{27}"$/)
  t.equal(withEtag({ ...answer, body: '{"x":2}' }, tag).status, 200)
  for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*'])
    t.strictSame(
      withEtag(answer, header),
      { status: 304, headers: { A: 'b', ETag: tag }, body: undefined },
      header,
    )
  for (const header of ['"other"', tag.slice(1, -1), ''])
    t.equal(withEtag(answer, header).status, 200, header)
  t.strictSame(withEtag({ ...answer, status: 404 }, '*').status, 404)
  t.strictSame(unlessUnchanged(answer, '*'), answer, 'an answer without a tag is never the same')
  t.end()
})
