import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'

/** One hostile request as bytes. `whole`: HTTP can frame it, so the server owes an answer. */
export interface HostileRequest {
  readonly kind: string
  readonly port: 'ingest' | 'api'
  readonly chunks: readonly Buffer[]
  readonly whole: boolean
  /** Milliseconds between two chunks. @default 0 */
  readonly pauseMs?: number
  /** After the last chunk: FIN, or RST. @default 'wait' */
  readonly end?: 'wait' | 'half-close' | 'destroy'
}

export interface Keys {
  readonly server: string
  readonly publishable: string
  readonly api: string
  readonly session: string
}

export interface Operation {
  readonly method: string
  readonly path: string
}

type Random = () => number

const MIB = 1024 * 1024
const NESTED_MAX = 20_000
const BOMBS = [
  gzipSync(Buffer.alloc(8 * MIB, ' ')),
  gzipSync(Buffer.alloc(8 * MIB, '[')),
  deflateSync(Buffer.alloc(8 * MIB, '1')),
]
const WORDS = [
  '__proto__',
  'constructor',
  'toString',
  'insertId',
  'event',
  'userId',
  '',
  ' ',
  '\u0000',
  '\ud800',
  '𝒳',
  '\u202e',
  '../../etc/passwd',
  '%00',
  "' or 1=1 --",
  '{{7*7}}',
  '$exposure',
  'null',
  'NaN',
  'a'.repeat(600),
]
const NUMBERS = [
  '0',
  '-0',
  '1e400',
  '-1e-400',
  '9007199254740993',
  '1'.repeat(400),
  '0.1e1',
  '1E+2',
  '00',
  '+1',
  '.5',
  '1.',
  'NaN',
  '-',
  '0x10',
]
const TIMES = [
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59.9999999-05:00',
  '0000-01-01T00:00:00Z',
  '2026-11-26T12:00:00',
  '2026-11-26T24:00:00Z',
  '2016-12-31T23:59:60Z',
  '1',
  '',
]
const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PURGE',
  'get',
  'P\u00d6ST',
  '',
]

const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item
const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1))
const bytes = (random: Random, most: number): Buffer =>
  Buffer.from(Array.from({ length: upTo(random, most) }, () => upTo(random, 255)))

const JSON_WORDS = WORDS.map((word) => JSON.stringify(word))
const JSON_VALUES = [JSON_WORDS, NUMBERS, ['true'], ['null'], TIMES.map((time) => JSON.stringify(time))]

/** A JSON text: mostly valid, of every shape, with the field names of svc among others. */
function json(random: Random, depth: number): string {
  const at = random()
  if (depth <= 0 || at < 0.25) return pick(random, pick(random, JSON_VALUES))
  const many = upTo(random, 6)
  if (at < 0.5) return `[${Array.from({ length: many }, () => json(random, depth - 1)).join(',')}]`
  return `{${Array.from({ length: many }, () => `${pick(random, JSON_WORDS)}:${json(random, depth - 1)}`).join(',')}}`
}

function event(random: Random): string {
  const fields: string[] = []
  const add = (name: string, usual: () => string): void => {
    const at = random()
    if (at < 0.75) fields.push(`"${name}":${usual()}`)
    else if (at < 0.9) fields.push(`"${name}":${json(random, 3)}`)
    if (at > 0.97) fields.push(`"${name}":${json(random, 1)}`)
  }
  add('event', () => '"seen"')
  add('insertId', () => `"fuzz-${upTo(random, 1e9)}"`)
  add('userId', () => `"u${upTo(random, 50)}"`)
  add('anonymousId', () => pick(random, JSON_WORDS))
  add('timestamp', () => JSON.stringify(pick(random, [...TIMES, new Date().toISOString()])))
  add('properties', () => json(random, 5))
  if (random() < 0.1) fields.push(`${pick(random, JSON_WORDS)}:${json(random, 2)}`)
  return `{${fields.join(',')}}`
}

function eventsBody(random: Random): Buffer {
  const at = random()
  if (at < 0.6)
    return Buffer.from(
      `{"sentAt":${JSON.stringify(pick(random, [new Date().toISOString(), ...TIMES]))},"events":[${Array.from({ length: upTo(random, 20) }, () => event(random)).join(',')}]}`,
    )
  if (at < 0.65) return Buffer.from(`{"events":[${Array.from({ length: 501 }, () => '{}').join(',')}]}`)
  if (at < 0.75)
    return Buffer.from(`{"events":[{"event":"deep","properties":${'{"a":['.repeat(upTo(random, NESTED_MAX))}`)
  if (at < 0.8)
    return Buffer.from(
      `{"events":[{"event":"keys","properties":{${Array.from({ length: upTo(random, 3_000) }, (_, n) => `"${n * 4_294_967}":${n}`).join(',')}}}]}`,
    )
  if (at < 0.9) return Buffer.from(json(random, 6))
  return damaged(random, Buffer.from(`{"events":[${event(random)}]}`))
}

/** The same with bytes changed, cut or repeated. */
function damaged(random: Random, body: Buffer): Buffer {
  const changed = Buffer.from(body)
  for (let left = upTo(random, 4); left > 0 && changed.length > 0; left--)
    changed[upTo(random, changed.length - 1)] = upTo(random, 255)
  return random() < 0.5
    ? changed.subarray(0, upTo(random, changed.length))
    : Buffer.concat([changed, bytes(random, 50)])
}

/** The default quality would take most of the time of a run. */
const brotli = (body: Buffer): Buffer =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } })

function encoded(random: Random, body: Buffer): { readonly name: string; readonly body: Buffer } {
  const name = pick(random, [
    'gzip',
    'deflate',
    'br',
    'zstd',
    'x-gzip',
    'identity',
    'gzip, gzip',
    '',
    'GZIP',
    '*',
    'identity;q=0',
  ])
  const packed = pick(random, [gzipSync, deflateSync, brotli, gzipSync])(body)
  const at = random()
  if (at < 0.1) return { name: pick(random, ['gzip', 'deflate']), body: pick(random, BOMBS) }
  if (at < 0.6) return { name, body: packed }
  if (at < 0.8) return { name, body: damaged(random, packed) }
  return { name, body }
}

const LENGTHS = [
  '-1',
  '+5',
  '1e3',
  '0x10',
  '18446744073709551616',
  '99999999999',
  ' 5',
  '5 ',
  '5,5',
  '',
  '0\u00a0',
  '٣',
]
const HEADERS: ReadonlyArray<(random: Random) => string> = [
  (random) => `X-${upTo(random, 99)}: ${'v'.repeat(upTo(random, 9_000))}`,
  () => 'Transfer-Encoding: chunked',
  () => 'Transfer-Encoding: gzip, chunked',
  () => 'Transfer-Encoding : chunked',
  (random) => `Content-Length: ${pick(random, LENGTHS)}`,
  () => 'Authorization: Bearer other',
  () => 'Host: a\r\nHost: b',
  () => ' folded: line',
  () => 'No-Colon',
  () => ': no name',
  () => 'Expect: 100-continue',
  () =>
    'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13',
  () => 'Connection: close, keep-alive',
  () => 'Origin: https://else.example',
  () => 'If-Match: "',
  () => `Cookie: ${'a=b; '.repeat(500)}`,
  (random) => `Idempotency-Key: ${pick(random, WORDS).replaceAll(/[\r\n]/g, '')}`,
  (random) => `Range: bytes=${upTo(random, 9)}-`,
]

function head(method: string, path: string, headers: readonly string[]): string {
  return `${method} ${path} HTTP/1.1\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`
}

function chunked(random: Random, body: Buffer): Buffer {
  const sizes = [
    body.length.toString(16),
    `${body.length.toString(16)};ext="a;b"`,
    `000${body.length.toString(16)}`,
    'fffffffffffffffff',
    '-1',
    '0x5',
    `${body.length.toString(16)} `,
    'g',
  ]
  return Buffer.concat([
    Buffer.from(`${pick(random, sizes)}\r\n`),
    body,
    Buffer.from(pick(random, ['\r\n0\r\n\r\n', '\r\n0\r\nTrailer: x\r\n\r\n', '\n0\n\n', ''])),
  ])
}

/** Path parameters and a query of any kind. */
function pathOf(random: Random, template: string): string {
  const word = (): string =>
    random() < 0.5
      ? encodeURIComponent(
          pick(random, WORDS)
            .replaceAll(/[\ud800-\udfff]/g, '?')
            .slice(0, 300),
        )
      : pick(random, [
          '%',
          '%zz',
          '..',
          '%2e%2e%2f',
          '01890000-0000-7000-8000-000000000000',
          'x'.repeat(3_000),
          '%00',
          'free-returns',
        ])
  const path = template.replaceAll(/\{[^}]+\}/g, word)
  if (random() < 0.5) return path
  const names = [
    'limit',
    'cursor',
    'page',
    'sortBy',
    'sortDir',
    'status',
    'from',
    'to',
    'q',
    'search',
    '__proto__',
    word(),
  ]
  return `${path}?${Array.from({ length: upTo(random, 4) }, () => `${pick(random, names)}=${word()}`).join('&')}`
}

/** The request of one number of a seed's stream: the same numbers give the same bytes, but for times. */
export function hostileRequest(random: Random, keys: Keys, operations: readonly Operation[]): HostileRequest {
  const port = random() < 0.55 ? 'ingest' : 'api'
  const { method, path } =
    port === 'ingest'
      ? {
          method: 'POST',
          path:
            random() < 0.85
              ? '/v1/events'
              : pick(random, ['/v1/serving', '/healthz', '/v1//events', '/v1/events/']),
        }
      : pick(random, operations)
  const key = pick(
    random,
    port === 'ingest'
      ? [keys.server, keys.server, keys.server, keys.server, keys.publishable, 'tsk_unknown']
      : [keys.api, keys.session, keys.api, 'tak_unknown', ''],
  )
  const base = ['Host: localhost', `Authorization: Bearer ${key}`]
  const target = pathOf(random, path)
  const at = random()
  const body = port === 'ingest' ? eventsBody(random) : Buffer.from(json(random, 5))
  const type = pick(random, [
    'application/json',
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'application/json;charset=latin1',
    '',
  ])
  const length = (of: Buffer): string => `Content-Length: ${of.length}`
  const usual = [...base, `Content-Type: ${type}`]

  if (at < 0.45) {
    const verb = random() < 0.9 ? method : pick(random, METHODS.slice(0, 7))
    return {
      kind: 'body',
      port,
      whole: verb !== 'HEAD',
      chunks: [Buffer.from(head(verb, target, [...usual, length(body)])), body],
    }
  }
  if (at < 0.6) {
    const { name, body: packed } = encoded(random, body)
    return {
      kind: 'encoding',
      port,
      whole: true,
      chunks: [
        Buffer.from(head(method, target, [...usual, `Content-Encoding: ${name}`, length(packed)])),
        packed,
      ],
    }
  }
  if (at < 0.75) {
    const extra = Array.from({ length: 1 + upTo(random, 3) }, () => pick(random, HEADERS)(random))
    return {
      kind: 'headers',
      port,
      whole: false,
      chunks: [Buffer.from(head(method, target, [...usual, ...extra, length(body)]), 'latin1'), body],
    }
  }
  if (at < 0.85)
    return {
      kind: 'chunks',
      port,
      whole: false,
      chunks: [
        Buffer.from(head(method, target, [...usual, 'Transfer-Encoding: chunked'])),
        chunked(random, body),
      ],
    }
  if (at < 0.92) {
    const line = `${pick(random, METHODS)} ${pick(random, ['*', 'http://x/', target, ' ', '/'.repeat(upTo(random, 9_000))])} HTTP/${pick(random, ['1.1', '1.0', '2.0', '9', ''])}\r\nHost: x\r\n\r\n`
    return { kind: 'request line', port, whole: false, chunks: [Buffer.from(line)] }
  }
  if (at < 0.97)
    return {
      kind: 'garbage',
      port,
      whole: false,
      chunks: [bytes(random, 2_000)],
      end: pick(random, ['wait', 'half-close', 'destroy']),
    }
  // A slow one promises more than it sends.
  const promised = [
    Buffer.from(head(method, target, [...usual, `Content-Length: ${body.length + 10}`])),
    body.subarray(0, body.length >> 1),
    body.subarray(body.length >> 1),
  ]
  return {
    kind: 'slow',
    port,
    whole: false,
    chunks: promised,
    pauseMs: upTo(random, 300),
    end: pick(random, ['half-close', 'destroy', 'wait']),
  }
}
