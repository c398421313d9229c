/** A request to the server's routes. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly accept: string
}

/** An unsuccessful response. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
  }
}

export interface Result {
  readonly status?: number
  readonly body: unknown
  /** A list has another page. */
  readonly more?: boolean
}

/** Throws a 404 if there is no value. */
export function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Refused(404, 'Not Found')
  return value
}

/** A page of a list, and whether there is another one. */
export function page<T>(call: Call, all: readonly T[], limit: number): { some: T[]; more: boolean } {
  const size = Math.min(limit, Number(call.query.get('per_page') ?? 30))
  const number = Number(call.query.get('page') ?? 1)
  return { some: all.slice((number - 1) * size, number * size), more: all.length > number * size }
}
