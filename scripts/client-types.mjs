#!/usr/bin/env node
// Writes contract/operations.ts, what the command line and the console know of the API, made from the OpenAPI document of the compiled routes. No store is started for it.
// With --check it names the file where it is not up to date instead; run it after a change of the API: npx tsc -p . && node scripts/client-types.mjs
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { buildOpenApi } = await import(join(root, 'dist', 'api', 'frame', 'openapi', 'openapi.js'))
const { routes } = await import(join(root, 'dist', 'api', 'routes.js'))
// Only what JSON has: the schemas carry symbols of their own.
const document = JSON.parse(JSON.stringify(buildOpenApi(routes)))

/** Refusals have one form, which the client knows; headers are its own business. */
for (const path of Object.values(document.paths))
  for (const operation of Object.values(path)) {
    operation.parameters = operation.parameters.filter((parameter) => parameter.in !== 'header')
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses)
        .filter(([status]) => /^2/.test(status))
        .map(([status, { headers: _, ...response }]) => [status, response]),
    )
  }
delete document.components.headers
const described = (value, isNames) => {
  if (Array.isArray(value)) return value.map((item) => described(item, false))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key]) =>
          isNames || !['description', 'summary', 'example', 'examples', 'format', 'default'].includes(key),
      )
      // Below `properties` and `schemas` a key is a name, whatever it is called.
      .map(([key, item]) => [key, described(item, !isNames && ['properties', 'schemas'].includes(key))]),
  )
}
const bare = described(document, false)

const types = astToString(
  // The library that the console asks with does not understand lists that are read-only.
  (await openapiTS(bare, { immutable: false, defaultNonNullable: false })).filter(
    (node) => !['webhooks', '$defs'].includes(node.name?.text ?? ''),
  ),
)

const table = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId }]) => [
    operationId,
    { method: method.toUpperCase(), path },
  ]),
)
const text = `// Made by scripts/client-types.mjs from the OpenAPI document: not edited by hand.

${types}
/** Method and path of each operation, below \`/v1\`. */
export const OPERATIONS = ${JSON.stringify(Object.fromEntries(table))} as const satisfies Record<keyof operations, { method: string; path: string }>
`

const FILE = 'contract/operations.ts'
function formatted() {
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules', '.bin', 'biome'),
    ['format', `--stdin-file-path=${FILE}`],
    { cwd: root, input: text, encoding: 'utf8', maxBuffer: 1 << 26 },
  )
  if (status !== 0) throw new Error(stderr)
  return stdout
}
if (process.argv[2] !== '--check') writeFileSync(join(root, FILE), formatted())
else if (readFileSync(join(root, FILE), 'utf8') !== formatted()) process.stdout.write(`${FILE}\n`)
