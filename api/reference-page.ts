import { createHash } from 'node:crypto'
import { ERRORS } from './errors.js'
import type { OpenApiDocument, Operation, ResponseObject } from './openapi.js'

const STYLE = `
:root { color-scheme: light dark; --edge: #8884; --soft: #8882; --accent: #2563eb; }
* { box-sizing: border-box }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--edge); font-size: .875rem }
nav a { display: block; padding: .2rem 0; text-decoration: none; color: inherit; overflow-wrap: anywhere }
nav a:hover, main a { color: var(--accent) }
nav b { display: block; margin-top: 1rem }
main { padding: 1.5rem 2rem 6rem; max-width: 60rem }
section { border-top: 1px solid var(--edge); margin-top: 2.5rem; padding-top: .5rem }
h1 { margin-top: 0 } h2 { margin: 1rem 0 .25rem } h4 { margin: 1.25rem 0 .25rem }
code, pre { font: .875em/1.5 ui-monospace, monospace }
code { background: var(--soft); border-radius: .25rem; padding: .1em .3em }
pre { background: var(--soft); border-radius: .5rem; padding: .75rem 1rem; overflow: auto }
pre code { background: none; padding: 0 }
table { border-collapse: collapse; width: 100%; font-size: .9375rem }
td, th { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--edge) }
.method { font: 600 .8125em ui-monospace, monospace }
details { margin: .35rem 0 } summary { cursor: pointer }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto; border: 0 } main { padding: 1rem } }
`

/** Nothing is loaded, run or embedded; the one style sheet is named by its hash. */
export const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

type Json = Readonly<Record<string, unknown>>

/** The document as a page for people: one file, no script, nothing loaded from elsewhere. */
export function renderReference(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const navigation = document.tags.map((tag) => {
    const links = operations
      .filter(({ operation }) => operation.tags.includes(tag.name))
      .map(
        ({ path, method, operation }) =>
          `<a href="#${operation.operationId}"><span class="method">${method}</span> ${escapeHtml(path)}</a>`,
      )
    return `<b>${escapeHtml(tag.name)}</b>${links.join('')}`
  })
  const sections = operations.map(({ path, method, operation }) => section(path, method, operation))
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary>${json(schema)}</details>`,
  )
  const errors = Object.entries(ERRORS).map(
    ([code, { status, retryable, meaning }]) =>
      `<tr><td>${status}</td><td><code>${code}</code></td><td>${text(meaning)}</td><td>${retryable ? 'yes' : 'no'}</td></tr>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(String(document.info.title))}</title>
<style>${STYLE}</style>
</head>
<body>
<nav><a href="#top">Introduction</a><a href="#errors">Errors</a><a href="#schemas">Schemas</a><a href="/v1/reference/openapi.json">openapi.json</a>${navigation.join('')}</nav>
<main>
<h1 id="top">${escapeHtml(String(document.info.title))}</h1>
${paragraphs(String(document.info.description))}
<p>The base of every path below is <code>/v1</code> on this server.</p>
<pre><code>curl -H "Authorization: Bearer $SVC_API_KEY" http://127.0.0.1:8081/v1/me</code></pre>
${sections.join('\n')}
<section id="errors"><h2>Errors</h2>
<table><tr><th>Status</th><th>Code</th><th>Meaning</th><th>Retry unchanged</th></tr>${errors.join('')}</table>
</section>
<section id="schemas"><h2>Schemas</h2>${schemas.join('\n')}</section>
</main>
</body>
</html>
`
}

function section(path: string, method: string, operation: Operation): string {
  const scope = operation['x-scope']
  return `<section id="${operation.operationId}">
<h2>${escapeHtml(operation.summary)}</h2>
<p><code><span class="method">${method}</span> /v1${escapeHtml(path)}</code>${scope === undefined ? '' : ` needs the scope <code>${escapeHtml(scope)}</code>`}</p>
${operation.description === undefined ? '' : paragraphs(operation.description)}
${parameters(operation)}
${requestBody(operation)}
<h4>Answers</h4>
${Object.entries(operation.responses)
  .map(([status, response]) => answer(status, response))
  .join('\n')}
</section>`
}

function parameters(operation: Operation): string {
  if (operation.parameters.length === 0) return ''
  const rows = operation.parameters.map(
    (parameter) =>
      `<tr><td><code>${escapeHtml(parameter.name)}</code></td><td>${parameter.in}${parameter.required ? ', required' : ''}</td><td>${text(parameter.description ?? '')} ${schemaInWords(parameter.schema)}</td></tr>`,
  )
  return `<h4>Parameters</h4><table><tr><th>Name</th><th>In</th><th></th></tr>${rows.join('')}</table>`
}

function requestBody(operation: Operation): string {
  const body = operation.requestBody
  if (body === undefined) return ''
  const { schema, example } = body.content['application/json']
  return `<h4>Body${body.required ? '' : ' (optional)'}</h4><p>${schemaInWords(schema)}</p>${example === undefined ? '' : json(example)}`
}

function answer(status: string, response: ResponseObject): string {
  const content = response.content?.['application/json']
  const inner =
    content === undefined
      ? ''
      : `<p>${schemaInWords(content.schema)}</p>${content.example === undefined ? '' : json(content.example)}`
  const open = status.startsWith('2') ? ' open' : ''
  return `<details${open}><summary><b>${status}</b> ${text(response.description)}</summary>${inner}</details>`
}

/** A line about a schema: a link to a named one, else its rules. */
function schemaInWords(schema: Json): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return `<a href="#schema-${escapeHtml(name)}"><code>${escapeHtml(name)}</code></a>`
  }
  if (Array.isArray(schema.allOf)) return schemaInWords(schema.allOf[0] as Json)
  const rules = Object.entries(schema)
    .filter(([key]) => key !== 'examples' && key !== 'additionalProperties' && key !== 'properties')
    .map(([key, value]) => `${key} ${Array.isArray(value) ? value.join(', ') : String(value)}`)
  return rules.length === 0 ? '' : `<code>${escapeHtml(rules.join('; '))}</code>`
}

function json(value: unknown): string {
  return `<pre><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`
}

/** Paragraphs with the two marks the descriptions use: `code` and **bold**. */
function paragraphs(markdown: string): string {
  return markdown
    .split('\n\n')
    .map((paragraph) => `<p>${text(paragraph)}</p>`)
    .join('\n')
}

function text(markdown: string): string {
  return escapeHtml(markdown)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
}

function escapeHtml(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
