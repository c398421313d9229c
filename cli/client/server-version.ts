import { sendRequest } from './transport.js'

const TIMEOUT_MS = 10_000

/** From the file name of the client that the service serves; undefined if it serves none. */
export async function serverVersion(apiUrl: string): Promise<string | undefined> {
  const url = new URL(`${apiUrl}/reference/svc.tgz`)
  const { headers } = await sendRequest({ method: 'HEAD', url, headers: {}, timeoutMs: TIMEOUT_MS })
  return /svc-([0-9][^"]*)\.tgz/.exec(headers['content-disposition'] ?? '')?.[1]
}
