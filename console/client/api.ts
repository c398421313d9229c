import createClient from 'openapi-fetch'
import type { components, paths } from '../../contract/operations'
import { responseError, toApiError } from './api-error'
import { sessionEnded } from './session'

export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

/** Typed client of the API. Wrap each call in `unwrap`. */
export const api = createClient<paths>({ baseUrl: '/v1' })

api.use({
  onRequest({ request }) {
    // The session cookie is accepted only with this header, which no page of another site can send.
    request.headers.set('X-Svc-Console', '1')
    // The browser may resend a request by itself, and a person may click twice.
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key'))
      request.headers.set('Idempotency-Key', crypto.randomUUID())
    return request
  },
})

interface Answered<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/** ETags of the resources that were read, by their bodies. */
const etags = new WeakMap<object, string>()

/** The header with which a write fails if the resource has changed since it was read. Empty for lists. */
export function ifMatch(read: object): Record<string, string> {
  const etag = etags.get(read)
  return etag === undefined ? {} : { 'If-Match': etag }
}

/** The body of an answer. Throws ApiError for an error answer; a 401 also ends the session. */
export async function unwrap<Data>(call: Promise<Answered<Data>>): Promise<Data> {
  let outcome: Answered<Data>
  try {
    outcome = await call
  } catch (thrown) {
    throw toApiError(thrown)
  }
  const { data, error, response } = outcome
  const etag = response.headers.get('ETag')
  if (etag !== null && typeof data === 'object' && data !== null) etags.set(data, etag)
  if (response.ok) return data as Data
  if (response.status === 401) sessionEnded()
  throw responseError(response, error)
}
