#!/usr/bin/env node
import { runFromEnvironment } from './programs/from-environment.js'

await runFromEnvironment('api', async () => (await import('./programs/run-api.js')).runApi)
