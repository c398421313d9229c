import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Everything comes from this server, and what is tried out goes to it alone. Swagger UI's style sheet has its icons in itself (`data:`). */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

// Addresses are relative to a page without a trailing slash: they hold at the root, under /v1 and behind a proxy that knows only one of them.
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc management API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="reference/swagger-ui.css">
<script src="reference/swagger-ui-bundle.js" defer></script>
<script src="reference/show.js" defer></script>
</head>
<body>
<div id="reference"></div>
<noscript>
<h1>svc management API</h1>
<p>This page needs JavaScript. <a href="reference/openapi.json">The OpenAPI document</a> says all of it: every route, field, answer and error, and first, in <code>info.description</code>, what holds for all of them.</p>
<p>Send <code>Authorization: Bearer</code> and an API key (<code>tsk_api_…</code>) with every request below <code>/v1</code>.</p>
</noscript>
</body>
</html>
`

const SETTINGS = {
  dom_id: '#reference',
  url: 'reference/openapi.json',
  deepLinking: true,
  filter: true,
  // The limits of parameters.
  showCommonExtensions: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  // A key that was typed in is gone with the page.
  persistAuthorization: false,
  // By default documents are sent to a validator elsewhere.
  validatorUrl: null,
}

export interface PageFile {
  readonly type: string
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The OpenAPI document for people: Swagger UI from its package and the page around it, by path. Throws where the package is not installed. */
export function referencePage(): ReadonlyMap<string, PageFile> {
  return new Map<string, PageFile>([
    [
      '/reference',
      {
        type: 'text/html; charset=utf-8',
        text: PAGE,
        headers: { 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Referrer-Policy': 'no-referrer' },
      },
    ],
    ['/reference/show.js', script(`SwaggerUIBundle(${JSON.stringify(SETTINGS)})\n`)],
    [
      '/reference/swagger-ui-bundle.js',
      script(read(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'))),
    ],
    [
      '/reference/swagger-ui.css',
      { type: 'text/css; charset=utf-8', text: read(import.meta.resolve('swagger-ui-dist/swagger-ui.css')) },
    ],
    // The licences of what the bundle holds, where its first line says.
    [
      '/reference/swagger-ui-bundle.js.LICENSE.txt',
      {
        type: 'text/plain; charset=utf-8',
        text: read(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt')),
      },
    ],
  ])
}

function script(text: string): PageFile {
  return { type: 'text/javascript; charset=utf-8', text }
}

/** Without the line that names a source map: none is served. */
function read(url: string): string {
  return readFileSync(fileURLToPath(url), 'utf8').replace(/\n\/[/*]# sourceMappingURL=.*\s*$/, '\n')
}
