#!/usr/bin/env node
import { startCli } from './start-cli.js'

await startCli(async () => {
  const [{ run }, { COMMANDS: ENTRIES }] = await Promise.all([
    import('./run.js'),
    import('./commands/table.js'),
  ])
  const admin = {
    name: 'admin',
    group: 'Operators:',
    description:
      'manage workspaces, people, keys, sessions, quotas, dead letters and the event log on the machine svc runs on',
    load: async () => (await import('./commands/admin.js')).defineAdmin,
  }
  return { run, entries: [...ENTRIES, admin] }
})
