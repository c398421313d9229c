import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { etagOf } from '../../../runtime/etag.js'
import { readVersion } from '../../../runtime/version.js'
import type { RawResponse } from '../../http/response.js'

/** Beside the compiled code, made by scripts/build-client.mjs. */
const FOLDER = new URL('../../../client/', import.meta.url)

/**
 * The command line and the client libraries, each as one file in the serving version; empty if they were not
 * built.
 */
export function clientArchives(): [path: string, answer: RawResponse][] {
  if (!existsSync(FOLDER)) return []
  return readdirSync(FOLDER).map((name) => {
    const body = readFileSync(new URL(name, FOLDER))
    const headers = {
      'Content-Type': name.endsWith('.whl') ? 'application/zip' : 'application/gzip',
      'Content-Disposition': `attachment; filename="${name.replace(/\.tgz$/, `-${readVersion()}.tgz`)}"`,
      'Cache-Control': 'no-cache',
      ETag: etagOf(body),
    }
    return [`/reference/${name}`, { status: 200, headers, body }]
  })
}
