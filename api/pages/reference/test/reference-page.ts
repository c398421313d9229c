import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { packageRoot } from '../../../../runtime/package-root.js'
import { buildOpenApi } from '../../../http/openapi/openapi.js'
import { routes } from '../../../routes.js'
import { Reference } from '../reference.js'

const reference = new Reference(() => buildOpenApi(routes))
const HOST = 'http://this.test'

/** The resource that a browser on `page` gets for a relative address: always from this server. */
function follow(page: string, address: string) {
  const url = new URL(address, HOST + page)
  if (url.origin !== HOST) throw new Error(`${address} is another host's`)
  const answer = reference.answer('GET', url.pathname, undefined)
  if (answer?.body === undefined) throw new Error(`${url.pathname} is not served`)
  return {
    path: url.pathname,
    type: answer.headers['Content-Type'],
    text: String(answer.body),
    headers: answer.headers,
  }
}

const addresses = (html: string) =>
  [...html.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)

for (const path of ['/reference', '/v1/reference'])
  t.test(`${path} and all that it loads are this server's`, (t) => {
    const page = follow(path, path)
    t.equal(page.type, 'text/html; charset=utf-8')
    const loaded = addresses(page.text)
      .filter((address) => address !== 'data:,')
      .map((address) => follow(path, address))
    t.strictSame(
      loaded.map((file) => [file.path, file.type]),
      [
        [`${path}/swagger-ui.css`, 'text/css; charset=utf-8'],
        [`${path}/swagger-ui-bundle.js`, 'text/javascript; charset=utf-8'],
        [`${path}/show.js`, 'text/javascript; charset=utf-8'],
        [`${path}/openapi.json`, 'application/json; charset=utf-8'],
      ],
    )
    for (const { text, headers } of [page, ...loaded]) {
      const etag = headers.ETag ?? ''
      t.equal(reference.answer('GET', path, etag)?.status, text === page.text ? 304 : 200)
      t.notMatch(text, /sourceMappingURL=/, 'no map is served')
    }
    const bundle = loaded[1]
    const licences = /license information please see (\S+)/.exec(bundle?.text ?? '')?.[1] ?? ''
    t.match(follow(`${bundle?.path}`, licences), { type: 'text/plain; charset=utf-8', text: /MIT/ })

    let settings: Record<string, unknown> = {}
    runInNewContext(loaded[2]?.text ?? '', {
      SwaggerUIBundle: (given: Record<string, unknown>) => {
        settings = given
      },
    })
    t.equal(follow(path, String(settings.url)).path, `${path}/openapi.json`)
    t.match(page.text, `id="${String(settings.dom_id).slice(1)}"`)
    t.match(
      settings,
      { validatorUrl: null, persistAuthorization: false },
      'nothing is sent elsewhere or kept',
    )
    t.end()
  })

t.test('the page and its style sheet name no other host, and nothing runs from the page itself', (t) => {
  const page = follow('/', 'reference')
  t.notMatch(page.text, /\/\/|<style|style=|<script(?! src=)| on\w+=/)
  const css = follow('/', 'reference/swagger-ui.css').text
  t.notMatch(css, /@import|@font-face/)
  for (const [url] of css.matchAll(/url\([^)]{0,20}/g)) t.match(url, /^url\(["']?data:image\//)
  t.match(page.text, /<noscript>[\s\S]*href="reference\/openapi\.json"[\s\S]*Bearer[\s\S]*<\/noscript>/)
  t.end()
})

t.test('the policy allows this server and the icons of the style sheet', (t) => {
  t.strictSame(follow('/', 'reference').headers['Content-Security-Policy']?.split('; ').sort(), [
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src 'self' data:",
    "script-src 'self'",
    "style-src 'self'",
  ])
  t.end()
})

t.test('packages that report their installation are not installed', (t) => {
  const { packages } = JSON.parse(readFileSync(join(packageRoot(), 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { name?: string; hasInstallScript?: boolean }>
  }
  const places = Object.entries(packages).filter(([path]) => path.endsWith('node_modules/@scarf/scarf'))
  t.match(places, [['node_modules/@scarf/scarf', { name: '@favware/skip-dependency' }]])
  t.notOk(places.some(([, { hasInstallScript }]) => hasInstallScript))
  t.end()
})
