#!/usr/bin/env node
// Writes dist/console: the page that the management API serves at `/`, with a hash of its content in the name of every file but index.html.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import config from '../console/vite.config.mjs'

// The names of the version before.
rmSync(join(config.build.outDir, 'assets'), { recursive: true, force: true })
await build(config)
