#!/usr/bin/env node
// Compiles the body pass of the gateway (ingest/decode/assembly, AssemblyScript) into dist/ingest/decode/pass.wasm, unless what is there is newer than its sources.
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const sources = join('ingest', 'decode')
const outFile = join('dist', sources, 'pass.wasm')

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
const inputs = [
  fileURLToPath(import.meta.url),
  join(root, 'package-lock.json'),
  join(root, sources, 'layout.ts'),
  ...readdirSync(join(root, sources, 'assembly')).map((file) => join(root, sources, 'assembly', file)),
]
if (Math.max(...inputs.map(changedAt)) >= changedAt(join(root, outFile))) {
  mkdirSync(join(root, dirname(outFile)), { recursive: true })
  const { main } = await import('assemblyscript/asc')
  const { error, stderr } = await main([
    join(sources, 'assembly', 'pass.ts'),
    ...['--baseDir', root, '--outFile', outFile],
    // No allocator and no checks of its own: the pass knows addresses and nothing else.
    ...['--runtime', 'stub', '--noAssert', '--initialMemory', '8', '--enable', 'simd'],
    ...['--optimizeLevel', '3', '--converge'],
  ])
  if (error !== null) {
    process.stderr.write(`${stderr.toString()}\n${error.message}\n`)
    process.exit(1)
  }
}
