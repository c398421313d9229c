import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { etagOf } from '../../../runtime/etag.js'
import { unlessUnchanged } from '../../http/etag.js'
import { HttpError } from '../../http/http-error.js'
import type { RawResponse } from '../../http/response.js'
import { type AcceptedEncoding, chosenEncoding } from './encoding.js'

/** Only files of this server run in the page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** Files with a hash of their content in their name. */
const HASHED = '/assets/'
/** Smaller files gain nothing by compression. */
const MIN_BYTES = 1_024
const PACKED: ReadonlySet<string> = new Set(['.png', '.woff2', '.ico'])

const compress = {
  br: (body: Uint8Array) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body: Uint8Array) => promisify(gzip)(body, { level: 9 }),
} satisfies Record<AcceptedEncoding, (body: Uint8Array) => Promise<Uint8Array>>

interface File {
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>> & { readonly ETag: string }
  readonly compressible: boolean
  /** Compressed at the first request. */
  readonly packed: Map<AcceptedEncoding, Promise<Uint8Array>>
}

export interface ConsoleRequest {
  readonly method: string
  /** As sent, not decoded: a path that is not a file is a page. */
  readonly path: string
  readonly ifNoneMatch: string | undefined
  readonly acceptEncoding: string | undefined
}

const MISSING = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>svc</title></head>
<body>
<h1>The console was not built</h1>
<p>This server has no <code>dist/console</code>. Where it was installed, <code>npm run build:console</code> makes it; then start the server again.</p>
<p>The API does not need it: <a href="/reference">the reference</a> says all of it.</p>
</body>
</html>
`

/**
 * The console: the files of its build, and its page at every other path outside the API. Read once, served
 * from memory.
 */
export class Console {
  private readonly files: ReadonlyMap<string, File>
  private readonly page: File | undefined

  /** @param folder of the build; it may be missing */
  constructor(folder: string) {
    this.files = filesOf(folder)
    this.page = this.files.get('/index.html')
  }

  /**
   * Undefined for paths of the API (below `/v1`, `/reference` and `/hooks`) and for other methods than GET
   * and HEAD.
   *
   * @throws ApiError NOT_FOUND for a file of another build
   */
  answer(request: ConsoleRequest): Promise<RawResponse> | undefined {
    const { method, path } = request
    const isQuestion = method === 'GET' || method === 'HEAD'
    return isQuestion && !/^\/(v1|reference|hooks)(\/|$)/.test(path) ? this.shown(request) : undefined
  }

  private async shown(request: ConsoleRequest): Promise<RawResponse> {
    const { path } = request
    const file = path === '/index.html' ? this.page : this.files.get(path)
    if (file !== undefined) return answerOf(file, request)
    if (path.startsWith(HASHED))
      throw new HttpError('NOT_FOUND', 'No such file in this version of the console')
    if (this.page === undefined) return { status: 404, headers: PAGE_HEADERS, body: MISSING }
    return answerOf(this.page, request)
  }
}

async function answerOf(file: File, { ifNoneMatch, acceptEncoding }: ConsoleRequest): Promise<RawResponse> {
  const { headers, body, compressible } = file
  const encoding = compressible ? chosenEncoding(acceptEncoding) : undefined
  if (encoding === undefined) {
    const varied = compressible ? { ...headers, Vary: 'Accept-Encoding' } : headers
    return unlessUnchanged({ status: 200, headers: varied, body }, ifNoneMatch)
  }
  const packed = file.packed.get(encoding) ?? compress[encoding](body)
  file.packed.set(encoding, packed)
  const etag = headers.ETag.replace(/"$/, `-${encoding}"`)
  const varied = { ...headers, Vary: 'Accept-Encoding', 'Content-Encoding': encoding, ETag: etag }
  return unlessUnchanged({ status: 200, headers: varied, body: await packed }, ifNoneMatch)
}

function filesOf(folder: string): ReadonlyMap<string, File> {
  if (!existsSync(folder)) return new Map()
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
      .map((entry) => {
        const file = join(entry.parentPath, entry.name)
        const path = file.slice(folder.length).replaceAll('\\', '/')
        return [path, fileOf(path, readFileSync(file))] as const
      })
      // The compiled tests of the console are in the same folder.
      .filter(([path]) => path.startsWith(HASHED) || !path.slice(1).includes('/')),
  )
}

function fileOf(path: string, body: Uint8Array): File {
  const type = extname(path)
  const etag = { ETag: etagOf(body) }
  const headers =
    type === '.html'
      ? PAGE_HEADERS
      : {
          'Content-Type': TYPES[type] ?? 'application/octet-stream',
          'Cache-Control': path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
          'Referrer-Policy': 'no-referrer',
          // An image that is opened by itself is a document.
          'Content-Security-Policy': CONTENT_SECURITY_POLICY,
        }
  return {
    body,
    headers: { ...headers, ...etag },
    compressible: body.length >= MIN_BYTES && !PACKED.has(type),
    packed: new Map(),
  }
}
