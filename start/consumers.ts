#!/usr/bin/env node
import { runFromEnvironment } from './programs/from-environment.js'

await runFromEnvironment('consumers', async () => (await import('./programs/run-consumers.js')).runConsumers)
