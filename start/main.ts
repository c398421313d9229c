#!/usr/bin/env node
import { runFromEnvironment } from './from-environment.js'

/** `npm start`: everything in one go. */
await runFromEnvironment(undefined, async () => (await import('./all-in-one.js')).runAllInOne)
