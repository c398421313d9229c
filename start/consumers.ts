#!/usr/bin/env node
import { runFromEnvironment } from './from-environment.js'

await runFromEnvironment('consumers', async () => (await import('./run-consumers.js')).runConsumers)
