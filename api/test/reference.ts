import t from 'tap'
import { withEtag } from '../etag.js'
import { buildOpenApi } from '../openapi.js'
import { Reference } from '../reference.js'
import { CONTENT_SECURITY_POLICY, renderReference } from '../reference-page.js'
import { routes } from '../routes.js'

const document = buildOpenApi(routes)
const reference = new Reference(document)

t.test('the document and its page are served at the root and under /v1, to GET and HEAD', (t) => {
  for (const base of ['', '/v1']) {
    const json = reference.answer('GET', `${base}/reference/openapi.json`, undefined)
    t.strictSame(JSON.parse(json?.body ?? ''), JSON.parse(JSON.stringify(document)))
    t.match(json?.headers, { 'Content-Type': /^application\/json/, ETag: /^"/ })
    t.equal(reference.answer('HEAD', `${base}/reference`, undefined)?.status, 200)
    t.equal(reference.answer('GET', `${base}/reference`, json?.headers.ETag)?.status, 200)
    t.equal(reference.answer('GET', `${base}/reference/openapi.json`, json?.headers.ETag)?.status, 304)
  }
  t.equal(reference.answer('POST', '/reference', undefined), undefined)
  t.equal(reference.answer('GET', '/reference/', undefined), undefined)
  t.equal(reference.answer('GET', '/v1/v1/reference', undefined), undefined)
  t.equal(reference.answer('GET', '/reference/other.json', undefined), undefined)
  t.end()
})

t.test('the page shows every operation, schema and error, and loads nothing', (t) => {
  const page = renderReference(document)
  for (const route of routes) {
    t.match(page, `<section id="${route.operationId}">`)
    t.match(page, `/v1${route.path}`)
    if (route.scope !== null) t.match(page, `<code>${route.scope}</code>`)
  }
  for (const name of Object.keys(document.components.schemas)) t.match(page, `id="schema-${name}"`)
  t.match(page, 'IDEMPOTENCY_KEY_REUSED')
  t.notMatch(page, /<script|<link|<img|src=|@import|url\(/)
  const anchors = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]))
  for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) t.ok(anchors.has(target), String(target))
  t.match(CONTENT_SECURITY_POLICY, /^default-src 'none'; style-src 'sha256-/)
  t.end()
})

t.test('what comes from descriptions is escaped', (t) => {
  const hostile = {
    ...document,
    info: {
      ...document.info,
      title: '<script>alert(1)</script>',
      description: 'a `<b>` **<i>"x"</i>** & more',
    },
  }
  const page = renderReference(hostile)
  t.notMatch(page, /<script>|<i>/)
  t.match(page, '<code>&lt;b&gt;</code> <b>&lt;i&gt;&quot;x&quot;&lt;/i&gt;</b> &amp; more')
  t.end()
})

t.test('entity tags', (t) => {
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
  t.end()
})
