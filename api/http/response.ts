import type { RouteResponse } from './route.js'

/** A response in the form in which it is stored for retries. */
export interface StoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body: string | undefined
}

/** A response whose body may be bytes or a stream. Cookies are sent once and never stored. */
export type RawResponse = Omit<StoredResponse, 'body'> &
  Pick<RouteResponse, 'stream' | 'cookies'> & { readonly body: string | Uint8Array | undefined }

export function toStoredResponse({ status, headers = {}, body }: RouteResponse): StoredResponse {
  return { status, headers, body: body === undefined ? undefined : JSON.stringify(body) }
}

export function toRawResponse(response: RouteResponse): RawResponse {
  const { stream, cookies } = response
  return { ...toStoredResponse(response), stream, cookies }
}
