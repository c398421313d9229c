#!/usr/bin/env node
import { runFromEnvironment } from './programs/from-environment.js'

await runFromEnvironment(undefined, async () => (await import('./programs/all-in-one.js')).runAllInOne)
