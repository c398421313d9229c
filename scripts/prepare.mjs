#!/usr/bin/env node
// Runs at the end of `npm ci`: compiles and links the `svc` command so that `npx svc` works in a checkout.
// package.json has no `bin` on purpose: npx would install the whole project again into its cache.
import { chmodSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
await import('./build-contract.mjs')
await import('./compile.mjs')
await import('./build-modules.mjs')
await import('./build-client.mjs')
await import('./build-console.mjs')
chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755)
const link = join(root, 'node_modules', '.bin', 'svc')
rmSync(link, { force: true })
symlinkSync(join('..', '..', 'dist', 'cli', 'main.js'), link)
