import { existsSync, readFileSync } from 'node:fs'
import { etagOf } from '../../../runtime/etag.js'
import { readVersion } from '../../../runtime/version.js'
import type { RawResponse } from '../../http/response.js'

/** Beside the compiled code, made by scripts/build-client.mjs. */
const FILE = new URL('../../../client/svc.tgz', import.meta.url)

/** The command line as one file, in the serving version; empty if it was not built. */
export function clientArchive(): [path: string, answer: RawResponse][] {
  if (!existsSync(FILE)) return []
  const body = readFileSync(FILE)
  const headers = {
    'Content-Type': 'application/gzip',
    'Content-Disposition': `attachment; filename="svc-${readVersion()}.tgz"`,
    'Cache-Control': 'no-cache',
    ETag: etagOf(body),
  }
  return [['/reference/svc.tgz', { status: 200, headers, body }]]
}
