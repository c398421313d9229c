import t from 'tap'
import { withApi } from '../../api/test/support/api.js'
import { makeGateway, makeWorkspace, startStores } from '../../ingest/test/support/gateway.js'
import { hiddenShapes } from '../support/network/hidden-shapes.js'
import { type RawOutcome, rawConnection } from '../support/network/raw-connection.js'

/**
 * A request inside the body of another one, as a proxy sees it, is never executed on either port. A client
 * that shares a proxy's connection could otherwise put words into another's mouth. Every shape is sent in one
 * packet, in two, and with the second part after the answer.
 */
const AT_ONCE = 80
const PATIENCE_MS = 250
/** No answer takes that long, on however busy a machine. */
const LATE_MS = 20_000

interface Target {
  readonly port: number
  /** The lines of a good request, without any that frame its body. */
  readonly headers: string
  readonly path: string
  /** A body that is accepted and can be found by its mark. */
  body(mark: string): string
  /** All marks that were carried out. */
  carriedOut(): Promise<ReadonlySet<string>>
}

const MARK = /hidden_\d+_/g

async function ingestion(): Promise<Target> {
  const stores = await startStores()
  t.teardown(() => stores.stop())
  const workspace = await makeWorkspace(stores)
  const gateway = await makeGateway(stores)
  t.teardown(() => gateway.stop())
  return {
    port: gateway.port,
    headers: `Host: x\r\nAuthorization: Bearer ${workspace.serverKey}\r\n`,
    path: '/v1/events',
    body: (mark) => JSON.stringify({ events: [{ event: mark, userId: 'u' }] }),
    carriedOut: () =>
      Promise.resolve(
        new Set(
          gateway.appended.flatMap(
            ({ payload }) => Buffer.from(payload).toString('latin1').match(MARK) ?? [],
          ),
        ),
      ),
  }
}

async function management(): Promise<Target> {
  const api = await withApi(t)
  const { key } = await api.workspace()
  return {
    port: Number(new URL(api.url).port),
    headers: `Host: x\r\nAuthorization: Bearer ${key}\r\n`,
    path: '/v1/funnel',
    body: (mark) => JSON.stringify({ name: mark, steps: [{ eventName: 'a' }] }),
    carriedOut: async () => {
      const rows = await api.sql<{ name: string }[]>`select name from funnels`
      return new Set(rows.map(({ name }) => name))
    },
  }
}

let marks = 0
const nextMark = (): string => `hidden_${String(++marks).padStart(6, '0')}_`

const request = (target: Target, mark: string): string => {
  const body = target.body(mark)
  return `POST ${target.path} HTTP/1.1\r\n${target.headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

interface Attempt {
  readonly name: string
  readonly mark: string
  readonly parts: Parameters<typeof rawConnection>[1]
}

/** One connection for each shape, way of sending and request around. */
function attempts(target: Target): Attempt[] {
  const outers = [
    { name: 'good', line: `POST ${target.path}`, headers: target.headers },
    { name: 'without a key', line: `POST ${target.path}`, headers: 'Host: x\r\n' },
    { name: 'to nowhere', line: 'PUT /v1/nowhere', headers: target.headers },
  ]
  const ways: Readonly<Record<string, (before: string, rest: string) => Attempt['parts']>> = {
    'in one packet': (before, rest) => [before + rest],
    'in two packets': (before, rest) => [before, 3, rest],
    'after the answer': (before, rest) => [before, { afterAnswerMs: 150 }, rest],
  }
  // All marks are of a length, so that the shapes can be made with one and sent with another.
  const blank = nextMark()
  return outers.flatMap((outer) =>
    hiddenShapes(outer.line, outer.headers, target.body('around'), request(target, blank)).flatMap((shape) =>
      Object.entries(ways).map(([way, partsOf]): Attempt => {
        const mark = nextMark()
        const rest = request(target, mark) + shape.after
        return {
          name: `${outer.name}, ${shape.name}, ${way}`,
          mark,
          parts: partsOf(shape.before.replaceAll(blank, mark), rest.replaceAll(blank, mark)),
        }
      }),
    ),
  )
}

async function all(target: Target, tried: readonly Attempt[]): Promise<RawOutcome[]> {
  const outcomes: RawOutcome[] = []
  const waiting = [...tried.entries()]
  const worker = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      outcomes[next[0]] = await rawConnection(target.port, next[1].parts, PATIENCE_MS)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return outcomes
}

const targets = { ingestion: await ingestion(), 'the management API': await management() }
for (const [name, target] of Object.entries(targets)) {
  t.test(`${name} never executes a request hidden in the body of another`, async (t) => {
    const tried = attempts(target)
    await all(target, tried)
    // The process serves this request after those that came before it.
    const seen = nextMark()
    t.match(
      await rawConnection(target.port, [request(target, seen), { afterAnswerMs: LATE_MS }], PATIENCE_MS),
      {
        statuses: [/20[12]/],
        closed: false,
      },
    )
    const carriedOut = await target.carriedOut()
    t.ok(carriedOut.has(seen), 'what is carried out is found')
    t.same(
      tried.filter(({ mark }) => carriedOut.has(mark)).map(({ name }) => name),
      [],
      `${tried.length} attempts`,
    )
  })

  t.test(`${name} answers a request before it closes its connection`, async (t) => {
    const { headers, path } = target
    // Different names of the same length.
    const fresh = (): string => target.body(`answered_${String(++marks).padStart(6, '0')}`)
    const { length } = fresh()
    const sized = (body: string): string => `Content-Length: ${body.length}\r\n\r\n${body}`
    const chunk = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n`
    const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n'
    const post = (rest: string, head = headers): string => `POST ${path} HTTP/1.1\r\n${head}${rest}`
    const bare = (method: string, connection: string): string =>
      `${method} ${path} HTTP/1.1\r\n${headers}Connection: ${connection}\r\n\r\n`
    const taken = /20[12]/
    const cases: Readonly<Record<string, readonly [readonly (string | number)[], number | RegExp]>> = {
      'chunks in one packet': [[`${post(CHUNKED + chunk(fresh()))}0\r\n\r\n`], taken],
      'chunks in several': [[post(CHUNKED), 5, chunk(fresh()), 5, '0\r\n', 5, '\r\n'], taken],
      'refused chunks': [[`${post(CHUNKED + chunk('{'))}0\r\n\r\n`], 400],
      'refused chunks in several': [[post(CHUNKED), 5, chunk('{'), 5, '0\r\n\r\n'], 400],
      'chunks without a key': [[post(CHUNKED, 'Host: x\r\n'), 5, chunk(fresh()), 5, '0\r\n\r\n'], 401],
      'no length': [[post('\r\n')], 400],
      'Connection: close': [[post(`Connection: close\r\n${sized(fresh())}`)], taken],
      'Connection: close, X, and its body later': [
        [post(`Connection: close, X\r\nContent-Length: ${length}\r\n\r\n`), 5, fresh()],
        taken,
      ],
      'Connection: x, close without a key': [
        [post(`Connection: x, close\r\nContent-Length: ${length}\r\n\r\n`, 'Host: x\r\n'), 5, fresh()],
        401,
      ],
      'a GET with Connection: close': [[bare('GET', 'close')], /200|405/],
      'a GET with Connection: x, close': [[bare('GET', 'x, close')], /200|405/],
      'a HEAD with Connection: close': [[bare('HEAD', 'close')], /200|405/],
      'a HEAD with Connection: x, close': [[bare('HEAD', 'x, close')], /200|405/],
      'a DELETE with Connection: x, close': [[bare('DELETE', 'x, close')], 405],
    }
    await Promise.all(
      Object.entries(cases).map(async ([shape, [parts, status]]) => {
        const { statuses, text, closed } = await rawConnection(target.port, parts, LATE_MS)
        t.match(statuses, [status], shape)
        t.equal(statuses.length, 1, shape)
        // The server does not repeat the header to clients that sent it.
        t.match(text, /Connection: close$/.test(shape) ? /\r\n\r\n/ : /\r\nconnection: close\r\n/i, shape)
        t.ok(closed, shape)
      }),
    )
    const usual = (): string => post(sized(fresh()))
    const kept = await rawConnection(
      target.port,
      [usual(), { afterAnswerMs: LATE_MS }, usual(), { afterAnswerMs: LATE_MS, answers: 2 }],
      PATIENCE_MS,
    )
    t.match(kept.statuses, [taken, taken], 'a usual request keeps its connection')
    t.notOk(kept.closed)
  })
}
