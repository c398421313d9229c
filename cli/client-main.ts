#!/usr/bin/env node
// The one-file client: all commands except `svc admin`, which needs the machine of the service.
import { main } from './start.js'

await main(() => import('./client-commands.js'))
