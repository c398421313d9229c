#!/usr/bin/env node
// Writes what the command line (cli/client/operations.ts) and the console (console/client/operations.ts) know of the API, made from the OpenAPI document of the
// compiled routes. No store is started for it.
// With --check it names the files that are not up to date instead; run it after a change of the API: npx tsc -p . && node scripts/client-types.mjs
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

const LEFT_OUT = {
  /** Finds an operation by its name. */
  cli: ['webhooks', '$defs', 'paths'],
  /** Finds it by method and path. */
  console: ['webhooks', '$defs'],
}
/** @param immutable the library that the console asks with does not understand lists that are read-only */
const typesOf = async (reader, { immutable }) =>
  astToString(
    (await openapiTS(bare, { immutable, defaultNonNullable: false })).filter(
      (node) => !LEFT_OUT[reader].includes(node.name?.text ?? ''),
    ),
  )

const table = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId }]) => [
    operationId,
    { method: method.toUpperCase(), path },
  ]),
)
const HEAD = '// Made by scripts/client-types.mjs from the OpenAPI document: not edited by hand.\n'
const TEXTS = {
  cli: `${HEAD}
${await typesOf('cli', { immutable: true })}
/** Method and path of each operation, below \`/v1\`. */
export const OPERATIONS = ${JSON.stringify(Object.fromEntries(table))} as const satisfies Record<keyof operations, { method: string; path: string }>
`,
  console: `${HEAD}
${await typesOf('console', { immutable: false })}`,
}

const fileOf = (reader) => `${reader}/client/operations.ts`
function formatted(reader) {
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules', '.bin', 'biome'),
    ['format', `--stdin-file-path=${fileOf(reader)}`],
    { cwd: root, input: TEXTS[reader], encoding: 'utf8', maxBuffer: 1 << 26 },
  )
  if (status !== 0) throw new Error(stderr)
  return stdout
}
const texts = Object.keys(TEXTS).map((reader) => [fileOf(reader), formatted(reader)])
if (process.argv[2] === '--check') {
  const stale = texts.filter(([file, text]) => readFileSync(join(root, file), 'utf8') !== text)
  for (const [file] of stale) process.stdout.write(`${file}\n`)
} else for (const [file, text] of texts) writeFileSync(join(root, file), text)
