import type { Command } from 'commander'
import type { Context } from '../context.js'

/** A command of the first level. What stands below it is loaded only when it is asked for: most of starting up is loading. */
export interface CommandEntry {
  readonly name: string
  readonly group: string
  readonly description: string
  /** Adds what stands below the command. */
  readonly load: () => Promise<(command: Command, context: Context) => void>
}

const WORK = 'Experiments:'
const MEASURE = 'Measurement:'
const SERVICE = 'The service:'
const CLIENT = 'This client:'

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'proposals',
    group: WORK,
    description: 'list, read, approve, dismiss and revise proposals',
    load: async () => (await import('./proposals/proposals.js')).define,
  },
  {
    name: 'generate',
    group: WORK,
    description: 'generate a batch of proposals',
    load: async () => (await import('./proposals/generate.js')).define,
  },
  {
    name: 'runs',
    group: WORK,
    description: 'list and show generation runs',
    load: async () => (await import('./proposals/runs.js')).define,
  },
  {
    name: 'experiments',
    group: WORK,
    description: 'declare, run, read and decide experiments',
    load: async () => (await import('./experiments.js')).define,
  },
  {
    name: 'counts',
    group: WORK,
    description: 'count experiments by status',
    load: async () => (await import('./service/counts.js')).define,
  },
  {
    name: 'learnings',
    group: WORK,
    description: 'read and approve what was learned',
    load: async () => (await import('./learnings.js')).define,
  },
  {
    name: 'funnels',
    group: MEASURE,
    description: 'keep funnels in a file, and query them',
    load: async () => (await import('./funnels.js')).define,
  },
  {
    name: 'events',
    group: MEASURE,
    description: 'watch, list and send events',
    load: async () => (await import('./events.js')).define,
  },
  {
    name: 'readiness',
    group: SERVICE,
    description: 'show what is connected, and what is missing',
    load: async () => (await import('./service/readiness.js')).define,
  },
  {
    name: 'audit',
    group: SERVICE,
    description: 'list what was written, by whom (with the session of a person)',
    load: async () => (await import('./service/audit.js')).define,
  },
  {
    name: 'login',
    group: CLIENT,
    description: 'store a key, from a hidden prompt or standard input',
    load: async () => (await import('./session/login.js')).define,
  },
  {
    name: 'logout',
    group: CLIENT,
    description: 'forget a stored key',
    load: async () => (await import('./session/logout.js')).define,
  },
  {
    name: 'whoami',
    group: CLIENT,
    description: 'show which workspace the key opens, whom it acts as and what it may write',
    load: async () => (await import('./session/whoami.js')).define,
  },
  {
    name: 'doctor',
    group: CLIENT,
    description: 'find out what is wrong between this client and the service',
    load: async () => (await import('./service/doctor.js')).define,
  },
  {
    name: 'completion',
    group: CLIENT,
    description: 'print a script that completes commands in a shell',
    load: async () => (await import('./completion.js')).define,
  },
]
