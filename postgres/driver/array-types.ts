import type postgres from 'postgres'

/** How values of a type are read from and written to Postgres' texts. */
interface Element {
  /** Oids of built-in types never change. */
  readonly array: number
  readonly parse: (text: string) => unknown
  readonly print: (value: unknown) => string
}

const text = { parse: (text: string) => text, print: String }
const number = { parse: Number, print: String }
const time = { parse: (text: string) => new Date(text), print: String }
const json = {
  parse: (text: string): unknown => JSON.parse(text),
  print: (value: unknown) => JSON.stringify(value),
}

/** The driver cannot send arrays of booleans, times and bytes, so it gets their texts. */
const ELEMENTS: Readonly<Record<string, Element>> = {
  boolean: { array: 1000, parse: (text) => text === 't', print: String },
  bytea: { array: 1001, parse: (text) => Buffer.from(text.slice(2), 'hex'), print: String },
  name: { array: 1003, ...text },
  smallint: { array: 1005, ...number },
  integer: { array: 1007, ...number },
  text: { array: 1009, ...text },
  char: { array: 1014, ...text },
  varchar: { array: 1015, ...text },
  // A string, as outside of arrays: a number would lose digits.
  bigint: { array: 1016, ...text },
  real: { array: 1021, ...number },
  double: { array: 1022, ...number },
  timestamp: { array: 1115, ...time },
  date: { array: 1182, ...time },
  timestamptz: { array: 1185, ...time },
  numeric: { array: 1231, ...text },
  json: { array: 199, ...json },
  uuid: { array: 2951, ...text },
  jsonb: { array: 3807, ...json },
}

/**
 * The driver itself learns array types from a query on every new connection, and does not await its failure:
 * a Postgres that goes away at that moment would end the process. So the types are given here.
 */
export const ARRAY_TYPES: Readonly<Record<string, postgres.PostgresType>> = Object.fromEntries(
  Object.entries(ELEMENTS).map(([name, element]) => [
    `${name}_array`,
    {
      to: element.array,
      from: [element.array],
      serialize: (value: unknown) => (Array.isArray(value) ? printArray(value, element) : value),
      parse: (text: string) => parseArray(text, element),
    },
  ]),
)

function printArray(values: readonly unknown[], element: Element): string {
  const items = values.map((value) => {
    if (value === null || value === undefined) return 'NULL'
    if (Array.isArray(value)) return printArray(value, element)
    return `"${element.print(value).replace(/[\\"]/g, '\\$&')}"`
  })
  return `{${items.join(',')}}`
}

/** @param text as `{1,NULL,"a \"b\""}`; nested ones as `{{1},{2}}` */
function parseArray(text: string, element: Element): unknown[] {
  // Unusual bounds come before the brace.
  let at = text.indexOf('{')
  const readArray = (): unknown[] => {
    const values: unknown[] = []
    // Skips the opening brace, then each comma.
    for (at++; text[at] !== '}'; ) {
      values.push(text[at] === '{' ? readArray() : readValue())
      if (text[at] === ',') at++
    }
    at++
    return values
  }
  const readValue = (): unknown => {
    if (text[at] !== '"') {
      const start = at
      while (text[at] !== ',' && text[at] !== '}') at++
      const word = text.slice(start, at)
      return word === 'NULL' ? null : element.parse(word)
    }
    let value = ''
    for (at++; text[at] !== '"'; at++) {
      if (text[at] === '\\') at++
      value += text[at]
    }
    at++
    return element.parse(value)
  }
  return readArray()
}
