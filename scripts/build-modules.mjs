#!/usr/bin/env node
// Compiles the AssemblyScript modules into dist/ if their sources changed: the fast decoder of the gateway,
// the compressor of the Kafka producer, and the matcher of funnels.
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
/**
 * `folder` has the sources in `assembly` and the file `shared` that the host reads too, if there is one.
 * `pages` of 64 KiB are the module's initial memory.
 */
const modules = [
  { folder: join('ingest', 'decode', 'fast-path'), name: 'decoder', shared: 'layout.ts', pages: 8 },
  { folder: join('log', 'kafka', 'append'), name: 'lz4', shared: 'lz4-memory-layout.ts', pages: 9 },
  { folder: join('clickhouse', 'queries', 'funnel', 'in-memory'), name: 'matcher', pages: 1 },
]

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

async function build({ folder, name, shared, pages }) {
  const outFile = join('dist', folder, `${name}.wasm`)
  const sources = join(folder, 'assembly')
  const inputs = [
    fileURLToPath(import.meta.url),
    join(root, 'package-lock.json'),
    ...(shared === undefined ? [] : [join(root, folder, shared)]),
    ...readdirSync(join(root, sources)).map((file) => join(root, sources, file)),
  ]
  if (Math.max(...inputs.map(changedAt)) < changedAt(join(root, outFile))) return
  mkdirSync(join(root, dirname(outFile)), { recursive: true })
  const { main } = await import('assemblyscript/asc')
  const { error, stderr } = await main([
    join(sources, `${name}.ts`),
    ...['--baseDir', root, '--outFile', outFile],
    // No allocator and no checks: a module works on addresses only.
    ...['--runtime', 'stub', '--noAssert', '--initialMemory', String(pages), '--enable', 'simd'],
    ...['--optimizeLevel', '3', '--converge'],
  ])
  if (error === null) return
  process.stderr.write(`${stderr.toString()}\n${error.message}\n`)
  process.exit(1)
}

for (const module of modules) await build(module)
