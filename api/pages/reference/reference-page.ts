import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Only this server's files run, and requests go to it alone. Swagger UI's style sheet embeds its icons
 * (`data:`).
 */
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

// Relative to a page without a trailing slash: works at the root, under /v1 and behind a proxy with only one
// of them.
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
  // Forget the key when the page is closed.
  persistAuthorization: false,
  // By default documents are sent to an external validator.
  validatorUrl: null,
}

export interface PageFile {
  readonly type: string
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Swagger UI and its page, by path. Throws if the package is not installed. */
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
    // The licences of the bundle; its first line refers to them.
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

/** Without the source map line: none is served. */
function read(url: string): string {
  return readFileSync(fileURLToPath(url), 'utf8').replace(/\n\/[/*]# sourceMappingURL=.*\s*$/, '\n')
}
