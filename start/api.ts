#!/usr/bin/env node
import { runFromEnvironment } from './from-environment.js'

await runFromEnvironment('api', async () => (await import('./run-api.js')).runApi)
