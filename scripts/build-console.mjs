#!/usr/bin/env node
// Writes dist/console, the page that the management API serves at `/`. Every file but index.html has a hash
// of its content in its name.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import config from '../console/vite.config.mjs'

// Files of the previous build.
rmSync(join(config.build.outDir, 'assets'), { recursive: true, force: true })
await build(config)
