/** Bodies of `POST /v1/events` near valid ones: made of fragments that are hard to parse, then mutated. */
type Random = () => number

const TIMES = [
  '"2026-03-01T12:00:00.000Z"',
  '"2026-03-01T12:00:00Z"',
  '"2026-03-01T12:00:00.123456789+05:30"',
  '"2026-03-01t12:00:00.1z"',
  '"2024-02-29T00:00:00-00:00"',
  '"2023-02-29T00:00:00Z"',
  '"2016-12-31T23:59:60Z"',
  '"0000-01-01T00:00:00+00:01"',
  '"0000-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59.999Z"',
  '"9999-12-31T23:59:59-00:01"',
  '"1900-02-28T24:00:00Z"',
  '"2026-03-01T12:00:00."',
  '"2026-03-01T12:00:00.5"',
  '"2026-13-01T12:00:00Z"',
  '"2026-3-01T12:00:00Z"',
  '"\\u0032026-03-01T12:00:00Z"',
  '"2026-03-01 12:00:00Z"',
  'null',
]
const NUMBERS = [
  ...[
    '0',
    '-0',
    '7',
    '-1',
    '1.5',
    '0.1',
    '1.0',
    '-0.0',
    '10',
    '100',
    '1e3',
    '1E+2',
    '5e-7',
    '0.000001',
    '0.0000001',
  ],
  ...[
    '123456789012345',
    '1234567890123456',
    '0.30000000000000004',
    '9007199254740993',
    '1e21',
    '123e-20',
    '1e400',
  ],
  ...[
    '-1e309',
    '1.7976931348623157e308',
    '5e-324',
    '1e-400',
    '01',
    '-',
    '1.',
    '.5',
    '+1',
    '1e',
    '1e+',
    '0x1',
    'NaN',
  ],
  ...['19.99', '1234.5678', '52.520006599999996', '100000000000000000000', '0.1e1', '-12.5'],
]
const CHARACTERS = [
  ...[
    'a',
    'b',
    'key',
    'x y',
    '0',
    '12',
    '/',
    "'",
    '<',
    '\u007f',
    'é',
    'ß',
    'Ж',
    '中',
    '\u2028',
    '\uffff',
    '😀',
    '\u{10ffff}',
  ],
  ...[
    '\\n',
    '\\t',
    '\\"',
    '\\\\',
    '\\/',
    '\\b',
    '\\f',
    '\\r',
    '\\u0041',
    '\\u0000',
    '\\u001f',
    '\\u007F',
    '\\u00e9',
  ],
  ...[
    '\\u4E2D',
    '\\ud83d\\ude00',
    '\\uD83D',
    '\\ude00',
    '\\ud83d\\ud83d\\ude00',
    '\\u0022',
    '\\u005C',
    '\\u000a',
    '\\x',
  ],
  ...[
    '\\u12',
    '\t',
    '\u0001',
    'abcdefghijklmno',
    'abcdefghijklmnop',
    '0123456789abcdef0',
    'event',
    '__proto__',
    'null',
  ],
]
const USUAL = ['a', 'user', 'x-1', 'abc', 'Q', '_', '.', '$', '42', 'visitor']
const SPACES = [
  '',
  '',
  '',
  ' ',
  '\n',
  '\t',
  '\r\n',
  '  ',
  '\n        ',
  '\n                    ',
  '\u00a0',
  '\v',
]
const KEYS = [
  '"event"',
  '"userId"',
  '"anonymousId"',
  '"properties"',
  '"timestamp"',
  '"insertId"',
  '"sdkVersion"',
]
const TOKENS = [
  ...[
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '\n',
    '0',
    '1',
    '-',
    '.',
    'e',
    'null',
    'true',
    'false',
    '\u0000',
    '\\u',
    '\\ud800',
  ],
  ...[
    '"event":"e"',
    '"userId":"u",',
    '"properties":{}',
    ',"a":1',
    '{"event":"e","userId":"u"}',
    '"sentAt":null,',
    '\ufeff',
    '/**/',
  ],
  ...['\xff', '😀'],
]

export function hostileBodies(random: Random): () => Buffer {
  const below = (most: number): number => Math.floor(random() * most)
  const pick = (choices: readonly string[]): string => choices[below(choices.length)] ?? ''
  /** How unusual the current body is; most are nearly valid. */
  let wild = 0
  const odd = (chance = 1): boolean => random() < wild * chance
  const many = (most: number, make: () => string, separator = ''): string =>
    Array.from({ length: below(most + 1) }, make).join(separator)
  const space = (): string => (odd(2) ? pick(odd(0.2) ? SPACES : SPACES.slice(0, -2)) : '')
  const text = (most = 6): string => `"${many(most, () => pick(odd() ? CHARACTERS : USUAL))}"`
  const id = (): string =>
    odd(0.3)
      ? pick([
          'null',
          '""',
          '1',
          `"${'x'.repeat(below(300))}"`,
          `"${'😀'.repeat(below(140))}"`,
          `"${'é'.repeat(below(300))}"`,
        ])
      : `"u${many(4, () => pick(odd() ? CHARACTERS : USUAL))}"`
  const list = (open: string, most: number, member: () => string, close: string): string =>
    open + space() + many(most, () => member() + space(), `,${space()}`) + close
  const value = (depth: number): string => {
    const kind = below(depth > 4 ? 5 : 8)
    if (kind < 2) return text()
    if (kind === 2) return odd() ? pick(NUMBERS) : String(below(100_000) / 100)
    if (kind === 3) return pick(['true', 'false', 'null'])
    if (kind === 4)
      return odd(0.1) ? pick(['True', 'nul', 'undefined', '', 'truefalse']) : String(below(1_000))
    if (kind === 5) return list('[', 4, () => value(depth + 1), ']')
    if (kind === 6 && odd(0.1)) return '['.repeat(below(90)) + ']'.repeat(below(90))
    return object(depth + 1, odd(0.03) ? 90 : 6)
  }
  const object = (depth: number, most: number): string => {
    let next = 0
    const key = (): string => (odd(0.5) ? text(3) : `"k${next++}"`)
    return list('{', most, () => `${key()}${space()}:${space()}${value(depth)}`, '}')
  }
  const member = (key: string): string => {
    const name = odd(0.05) ? text(2) : key
    const content =
      key === '"properties"'
        ? odd(0.1)
          ? value(0)
          : object(0, 8)
        : key === '"timestamp"'
          ? pick(odd() ? TIMES : TIMES.slice(0, 3))
          : key === '"event"'
            ? odd(0.2)
              ? id()
              : `"${pick(USUAL)}${pick(USUAL)}"`
            : id()
    return `${name}${space()}:${space()}${content}`
  }
  const event = (): string => {
    if (odd(0.02)) return value(0)
    const keys = [...KEYS.slice(0, 2), ...KEYS.slice(2).filter(() => random() < 0.6)]
    if (odd(0.3)) keys.sort(() => random() - 0.5)
    const members = keys.filter(() => !odd(0.03)).map(member)
    if (odd(0.4)) members.splice(below(members.length + 1), 0, `${text(3)}:${value(0)}`)
    return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`
  }
  const request = (): string => {
    const events = `"events"${space()}:${space()}[${space()}${Array.from({ length: 1 + below(random() < 0.02 ? 60 : 3) }, event).join(`${space()},`)}${space()}]`
    const members = [events]
    if (random() < 0.5) members.push(`"sentAt":${space()}${pick(odd() ? TIMES : TIMES.slice(0, 3))}`)
    if (odd(0.3)) members.splice(below(2), 0, `${text(2)}:${value(0)}`)
    if (odd(0.2)) members.reverse()
    return `${space()}{${space()}${members.join(`${space()},${space()}`)}}${space()}`
  }
  const change = (body: Buffer): Buffer => {
    const at = below(body.length + 1)
    const length = random() < 0.7 ? below(3) : below(40)
    switch (below(5)) {
      case 0:
        return Buffer.concat([
          body.subarray(0, at),
          Buffer.from(pick(TOKENS), odd(0.1) ? 'latin1' : 'utf8'),
          body.subarray(at),
        ])
      case 1:
        return Buffer.concat([body.subarray(0, at), body.subarray(at + length)])
      case 2:
        return Buffer.concat([body.subarray(0, at + length), body.subarray(at)])
      case 3:
        return body.subarray(0, random() < 0.5 ? at : undefined)
      default: {
        const changed = Buffer.from(body)
        if (at < changed.length)
          changed[at] = random() < 0.5 ? (changed[at] ?? 0) ^ (1 << below(8)) : below(256)
        return changed
      }
    }
  }
  return () => {
    wild = random() < 0.5 ? 0.02 : random() ** 2
    let body = Buffer.from(request())
    for (let changes = random() < 0.5 ? 0 : 1 + below(2); changes > 0; changes--)
      body = Buffer.from(change(body))
    return body
  }
}
