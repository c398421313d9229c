#!/usr/bin/env node
// The one-file client: all commands except `svc admin`, which needs the machine of the service.
import { startCli } from './start-cli.js'

await startCli(() => import('./client-commands.js'))
