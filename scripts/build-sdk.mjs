#!/usr/bin/env node
// Writes the client libraries as the API serves them below /reference, in the version of the service:
// dist/client/svc-events.tgz, a package for Node, and dist/client/svc_events-VERSION-py3-none-any.whl for
// Python. The same sources give the same bytes. Needs no Python.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import ts from 'typescript'
import { npmPackage, zip } from './archives.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
/** Another folder is for tests. */
const out = process.argv[2] ?? join(root, 'dist', 'client')
const MAX_NODE_BYTES = 20_000
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const read = (file) => readFileSync(join(root, 'sdk', file), 'utf8')
const DESCRIPTION = 'Sends events to svc: in the background, each stored once'

mkdirSync(out, { recursive: true })
for (const file of readdirSync(out))
  if (file.startsWith('svc_events-') && !file.includes(`-${version}-`)) rmSync(join(out, file))
writeFileSync(join(out, 'svc-events.tgz'), await nodePackage())
writeFileSync(join(out, `svc_events-${version}-py3-none-any.whl`), wheel())

async function nodePackage() {
  const bundled = async (format) => {
    const { outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: ['sdk/node/index.ts'],
      bundle: true,
      platform: 'node',
      target: 'node18',
      format,
      minifySyntax: true,
      minifyWhitespace: true,
      define: { SVC_EVENTS_VERSION: JSON.stringify(version) },
      tsconfigRaw: {},
      write: false,
      logLevel: 'warning',
    })
    return outputFiles[0].contents
  }
  const types = ts.transpileDeclaration(read('node/types.ts'), {
    compilerOptions: { isolatedDeclarations: true },
  })
  if (types.diagnostics.length > 0)
    throw new Error(types.diagnostics.map(({ messageText }) => messageText).join())
  const declarations = `${types.outputText}export declare const SvcEvents: SvcEventsConstructor\n`
  const manifest = {
    name: 'svc-events',
    version,
    description: DESCRIPTION,
    license,
    type: 'module',
    main: './index.cjs',
    types: './index.d.ts',
    exports: {
      '.': {
        import: { types: './index.d.ts', default: './index.js' },
        require: { types: './index.d.cts', default: './index.cjs' },
      },
      './package.json': './package.json',
    },
    engines: { node: '>=18' },
    sideEffects: false,
  }
  const archive = npmPackage([
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['index.js', await bundled('esm')],
    ['index.cjs', await bundled('cjs')],
    ['index.d.ts', declarations],
    ['index.d.cts', declarations],
    ['README.md', read('node/README.md')],
  ])
  if (archive.length > MAX_NODE_BYTES)
    throw new Error(`svc-events.tgz has ${archive.length} bytes, which is too many`)
  return archive
}

function wheel() {
  const info = `svc_events-${version}.dist-info`
  const modules = readdirSync(join(root, 'sdk', 'python', 'svc_events'))
    .filter((file) => /\.py$|^py\.typed$/.test(file))
    .sort()
    .map((file) => [`svc_events/${file}`, read(`python/svc_events/${file}`).replace('{{VERSION}}', version)])
  const metadata = [
    'Metadata-Version: 2.1',
    'Name: svc-events',
    `Version: ${version}`,
    `Summary: ${DESCRIPTION}`,
    `License: ${license}`,
    'Requires-Python: >=3.9',
    'Description-Content-Type: text/markdown',
    '',
    read('python/README.md'),
  ].join('\n')
  const files = [
    ...modules,
    [`${info}/METADATA`, metadata],
    [`${info}/WHEEL`, 'Wheel-Version: 1.0\nGenerator: svc\nRoot-Is-Purelib: true\nTag: py3-none-any\n'],
  ]
  const record = files.map(([name, text]) => {
    const hash = createHash('sha256').update(text).digest('base64url')
    return `${name},sha256=${hash},${Buffer.byteLength(text)}\n`
  })
  return zip([...files, [`${info}/RECORD`, `${record.join('')}${info}/RECORD,,\n`]])
}
