/** A request as the routes of the server see it. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly accept: string
}

/** An answer that is no success. */
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
  /** Of a list: there is a further page. */
  readonly more?: boolean
}

/** What is not there is no business of whoever asks. */
export function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Refused(404, 'Not Found')
  return value
}

/** A page of a list, and whether there is a further one. */
export function page<T>(call: Call, all: readonly T[], limit: number): { some: T[]; more: boolean } {
  const size = Math.min(limit, Number(call.query.get('per_page') ?? 30))
  const number = Number(call.query.get('page') ?? 1)
  return { some: all.slice((number - 1) * size, number * size), more: all.length > number * size }
}
