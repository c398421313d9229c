import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { HttpError } from '../../../http/http-error.js'
import { Console } from '../console.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-console-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const PAGE = '<!doctype html><title>svc</title><script type="module" src="/assets/main-abc.js"></script>'
const SCRIPT = `console.log(${JSON.stringify('text '.repeat(1_000))})`
mkdirSync(join(folder, 'assets'))
mkdirSync(join(folder, 'test'))
writeFileSync(join(folder, 'index.html'), PAGE)
writeFileSync(join(folder, 'assets', 'main-abc.js'), SCRIPT)
writeFileSync(join(folder, 'assets', 'icon-abc.svg'), '<svg/>')
writeFileSync(join(folder, 'test', 'compiled.js'), 'no business of a browser')
const console = new Console(folder)
const none = { ifNoneMatch: undefined, acceptEncoding: undefined }
const get = async (
  path: string,
  more: { ifNoneMatch?: string; acceptEncoding?: string; method?: string } = {},
) => console.answer({ method: 'GET', path, ...none, ...more })

t.test('every path outside the API serves the console page', async (t) => {
  const paths = [
    '/',
    '/events',
    '/funnels/0199a1c0',
    '/index.html',
    '/v1x',
    '//v1/me',
    '/../v1/me',
    '/%2e%2e/x',
  ]
  for (const path of [...paths, '/test/compiled.js', '/referenced', '/V1/me'])
    t.match(await get(path), { status: 200, body: Buffer.from(PAGE) }, path)
  for (const path of [
    '/v1',
    '/v1/',
    '/v1/me',
    '/v1/nowhere',
    '/reference',
    '/reference/x',
    '/hooks',
    '/hooks/x',
  ])
    t.equal(await get(path), undefined, path)
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    t.equal(await get('/', { method }), undefined, method)
  t.match(await get('/', { method: 'HEAD' }), { status: 200 })
})

t.test('the content security policy allows no other host', async (t) => {
  const headers = (await get('/'))?.headers ?? {}
  const policy = headers['Content-Security-Policy'] ?? ''
  t.notMatch(policy, /unsafe|\*|http/)
  for (const shut of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "object-src 'none'"])
    t.ok(policy.split('; ').includes(shut), shut)
  t.match(headers, { 'Cache-Control': 'no-cache', 'Referrer-Policy': 'no-referrer' })
})

t.test('files are cached for good, and a file of another build is 404', async (t) => {
  t.match(await get('/assets/main-abc.js'), {
    status: 200,
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
    },
  })
  for (const path of ['/assets/main-old.js', '/assets/', '/assets/../index.html', '/assets/%6dain-abc.js'])
    await t.rejects(
      get(path),
      new HttpError('NOT_FOUND', 'No such file in this version of the console'),
      path,
    )
})

t.test('files are compressed as the browser accepts, and revalidated by ETag', async (t) => {
  const of = (acceptEncoding: string) => get('/assets/main-abc.js', { acceptEncoding })
  const best = await of('gzip, deflate, br;q=0.9')
  t.match(best?.headers, { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' })
  t.equal(gunzipSync(best?.body ?? '').toString(), SCRIPT)
  const brotli = await of('gzip, br')
  t.equal(brotliDecompressSync(Buffer.from(brotli?.body ?? '')).toString(), SCRIPT)
  for (const encoding of ['', 'identity', 'br;q=0, gzip;q=0', 'zstd', '*;q=0'])
    t.equal(String((await of(encoding))?.body), SCRIPT, encoding)
  t.equal((await of('*'))?.headers['Content-Encoding'], 'br')
  const tags = [best, brotli, await of('')].map((answer) => answer?.headers.ETag ?? '')
  t.equal(new Set(tags).size, 3, 'each form has a different tag')
  const again = await get('/assets/main-abc.js', { acceptEncoding: 'br', ifNoneMatch: tags[1] ?? '' })
  t.match(again, { status: 304, body: undefined })
  const page = await get('/')
  t.match(await get('/', { ifNoneMatch: page?.headers.ETag ?? '' }), { status: 304 })
})

t.test('the page explains that the console was not built', async (t) => {
  const missing = new Console(join(folder, 'nowhere'))
  const answer = await missing.answer({ method: 'GET', path: '/', ...none })
  t.match(answer, { status: 404, body: /not built/ })
  t.equal(await missing.answer({ method: 'GET', path: '/v1/me', ...none }), undefined)
})
