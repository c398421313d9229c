#!/usr/bin/env node
import { runFromEnvironment } from './from-environment.js'

await runFromEnvironment('ingest', async () => (await import('./run-ingest.js')).runIngest)
