import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import t from 'tap'
import { canonicalJson } from '../../domain/canonical-json.js'
import { validationFailed } from '../../management/domain-errors.js'
import { TimeoutError } from '../../runtime/concurrency/with-timeout.js'
import { toHttpError } from '../http/error-mapping.js'
import { HttpError } from '../http/http-error.js'
import { escapePointer, findUnstorable, parseJson, textProblem } from '../http/json.js'
import { parseParams, parseQuery } from '../http/query-string.js'
import { defineRoute } from '../http/route.js'
import { Router } from '../http/router.js'
import { closed } from '../http/schemas.js'
import { bodyPath, compileValidator, queryPath } from '../http/validate.js'
import { routes } from '../routes.js'

t.test('canonical JSON does not depend on the order of keys', (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      const shuffled: unknown = JSON.parse(text, (_, child: unknown) =>
        typeof child === 'object' && child !== null && !Array.isArray(child)
          ? Object.fromEntries(Object.entries(child).reverse())
          : child,
      )
      return (
        canonicalJson(JSON.parse(text)) === canonicalJson(shuffled) &&
        JSON.parse(canonicalJson(shuffled)) !== undefined
      )
    }),
  )
  t.not(canonicalJson({ a: 1 }), canonicalJson({ a: '1' }))
  t.not(canonicalJson([1, 2]), canonicalJson([2, 1]))
  t.end()
})

t.test('text that cannot be stored is found at any depth', (t) => {
  fc.assert(
    fc.property(
      fc.jsonValue({ noUnicodeString: false, maxDepth: 5 }),
      fc.array(fc.nat(3), { maxLength: 5 }),
      (value, depths) => {
        // A good value has no details; with one bad leaf its path is named.
        const clean = JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '')) as unknown
        if (findUnstorable(clean).length > 0) return
        let wrapped: unknown = '\u0000'
        let pointer = ''
        for (const depth of depths) {
          wrapped = depth % 2 === 0 ? { 'k~/': wrapped, clean } : [clean, wrapped]
          pointer = `${depth % 2 === 0 ? '/k~0~1' : '/1'}${pointer}`
        }
        const details = findUnstorable(wrapped)
        return details.length === 1 && details[0]?.path === pointer
      },
    ),
  )
  t.strictSame(findUnstorable({ a: 2 ** 53 - 1, b: 0.1, c: 1e-300, d: -0 }), [])
  t.strictSame(
    findUnstorable({ a: 2 ** 53, b: [-(2 ** 53)], c: 1e300, d: Infinity }).map((detail) => detail.path),
    ['/a', '/b/0', '/c', '/d'],
  )
  t.match(findUnstorable({ 'a\u0000': 1 }), [{ path: '' }])
  t.equal(textProblem('😀'), undefined)
  t.ok(textProblem('😀'.slice(0, 1)))
  t.end()
})

t.test('a JSON body is parsed, and a malformed one is refused', (t) => {
  t.equal(parseJson(Buffer.alloc(0)), undefined)
  t.strictSame(parseJson(Buffer.from(' {"a":[1]} ')), { a: [1] })
  for (const text of ['{', '', ' ', '01', '{"a":1,}']) {
    if (text === '') continue
    t.throws(() => parseJson(Buffer.from(text)), { code: 'MALFORMED_JSON' }, text)
  }
  t.end()
})

t.test('parsing a query string never throws and decodes every encoded text', (t) => {
  const schema = Type.Object({ a: Type.String(), n: Type.Integer(), b: Type.Boolean() })
  fc.assert(fc.property(fc.string(), (text) => Array.isArray(parseQuery(text, schema).details)))
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      if (textProblem(text) !== undefined) return true
      const { values, details } = parseQuery(new URLSearchParams({ a: text }).toString(), schema)
      return details.length === 0 && values.a === text
    }),
  )
  t.strictSame(parseQuery('n=5&b=true&a=5', schema).values, { n: 5, b: true, a: '5' })
  t.strictSame(parseQuery('n=05.0&b=TRUE', schema).values, { n: '05.0', b: 'TRUE' })
  t.strictSame(parseQuery('a=1&a=2', schema).details, [{ path: 'query.a', message: 'must be given once' }])
  t.strictSame(parseParams({ id: 'a%2Fb+c' }).values, { id: 'a/b+c' })
  t.match(parseParams({ id: '%' }).details, [{ path: 'path.id' }])
  t.end()
})

t.test('the router prefers fixed segments and knows the methods of a path', (t) => {
  const route = (method: 'GET' | 'POST', path: `/${string}`) =>
    defineRoute(`${method} ${path}`, `${method} ${path}`, {
      tag: '',
      summary: '',
      responses: {},
      handler: () => Promise.resolve({ status: 200 }),
    })
  const router = new Router([
    route('GET', '/things'),
    route('GET', '/things/counts'),
    route('GET', '/things/{id}'),
    route('POST', '/things/{id}/{action}'),
    route('GET', '/things/{thing}/status'),
  ])
  const matched = (method: string, path: string) => {
    const match = router.match(method, path.split('/').slice(1))
    if (match.kind === 'method') return match.allow
    return match.kind === 'none' ? 'none' : [match.route.path, match.params]
  }
  t.strictSame(matched('GET', '/things'), ['/things', {}])
  t.strictSame(matched('HEAD', '/things/counts'), ['/things/counts', {}], 'a fixed segment wins')
  t.strictSame(matched('GET', '/things/x%2Fy'), ['/things/{id}', { id: 'x%2Fy' }], 'nothing is decoded')
  t.strictSame(
    matched('GET', '/things/x/status'),
    ['/things/{thing}/status', { thing: 'x' }],
    'each under its own name',
  )
  t.strictSame(matched('POST', '/things/x/start'), ['/things/{id}/{action}', { id: 'x', action: 'start' }])
  t.strictSame(matched('DELETE', '/things/x'), ['GET'])
  t.strictSame(matched('POST', '/things/x/status'), ['GET'])
  for (const path of [
    '/',
    '',
    '/things/',
    '/things//',
    '//things',
    '/Things',
    '/things/x/',
    '/things/x/y/z',
    '/constructor',
  ])
    t.equal(matched('GET', path), 'none', path)
  t.throws(() => new Router([route('GET', '/a/{x}'), route('GET', '/a/{y}')]))
  t.end()
})

t.test('schema errors have a path and a message', (t) => {
  const body = compileValidator(
    closed({
      a: Type.String({ minLength: 2 }),
      list: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 2 }),
    }),
    bodyPath,
  )
  t.strictSame(body({ a: 'xy', list: [1] }), [])
  t.strictSame(body({ a: 'x', list: [0, 1.5, 1], 'b/c': 1 }), [
    { path: '/b~1c', message: 'is not a known field or parameter' },
    { path: '/a', message: 'must have at least 2 characters' },
    { path: '/list', message: 'must have at most 2 items' },
    { path: '/list/0', message: 'must be at least 1' },
    { path: '/list/1', message: 'must be a whole number' },
  ])
  t.strictSame(body('x'), [{ path: '', message: 'must be an object' }])
  const query = compileValidator(closed({ limit: Type.Integer({ default: 5 }) }), queryPath)
  const values = {}
  t.strictSame(query(values), [])
  t.strictSame(values, { limit: 5 })
  t.strictSame(query({ 'a/b': 1 }), [{ path: 'query.a/b', message: 'is not a known field or parameter' }])
  t.equal(escapePointer('a~b/c'), 'a~0b~1c')
  t.match(
    validationFailed([{ path: '', message: 'must be an object' }]).message,
    'the body must be an object',
  )
  t.end()
})

t.test('failures are answered with their error codes', (t) => {
  const coded = (code: string) => Object.assign(new Error('x'), { code })
  for (const code of ['ECONNREFUSED', 'CONNECTION_CLOSED', 'CONNECT_TIMEOUT'])
    t.equal(toHttpError(coded(code)).code, 'UNAVAILABLE', code)
  t.equal(toHttpError(coded('23505')).code, 'INTERNAL')
  const refusal = new HttpError('NOT_FOUND', 'x')
  t.equal(toHttpError(refusal), refusal)
  t.match(toHttpError(new TypeError('secret')), { code: 'INTERNAL', message: /^(?!.*secret)/ })
  t.match(toHttpError(new TimeoutError('late')), { code: 'UNAVAILABLE', headers: { 'Retry-After': /^\d+$/ } })
  t.match(toHttpError(coded('ECONNRESET')), { code: 'UNAVAILABLE', headers: { 'Retry-After': /^\d+$/ } })
  t.end()
})

t.test('a large invalid body gets at most 100 errors, and a valid body gets its defaults', async (t) => {
  const route = routes.find(({ operationId }) => operationId === 'createFunnel')
  const validate = compileValidator(route?.body ?? Type.Object({}), bodyPath)
  const steps = Array.from({ length: 10_000 }, () => ({ nonsense: 1 }))
  const details = validate({ name: 'x', steps }, true)
  t.equal(details.length, 100)
  t.match(details, [{ path: '/steps' }, { path: /^\/steps\/0/ }])
  const right = { name: ' x ', steps: [{ eventName: 'a' }] }
  t.strictSame(validate(right, true), [])
  t.match(right, { name: 'x', description: '', windowSeconds: 604_800 })
})

t.test('too many values are refused before they are copied', async (t) => {
  const wide = Array.from({ length: 500_000 }, () => 0)
  Object.defineProperty(wide, 400_000, { get: () => t.fail('it was read') })
  t.match(findUnstorable(wide), [{ path: '', message: 'has more than 20000 values' }])
})
