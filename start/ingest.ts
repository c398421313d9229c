#!/usr/bin/env node
import { runFromEnvironment } from './programs/from-environment.js'

await runFromEnvironment('ingest', async () => (await import('./programs/run-ingest.js')).runIngest)
