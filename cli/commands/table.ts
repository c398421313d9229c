import type { Command } from 'commander'
import type { Context } from '../context.js'

/** A command of the first level. What stands below it is loaded only when it is asked for: most of starting up is loading. */
export interface Entry {
  readonly name: string
  readonly group: string
  readonly description: string
  readonly load: () => Promise<{ readonly define: (command: Command, context: Context) => void }>
}

const WORK = 'Experiments:'
const MEASURE = 'Measurement:'
const SERVICE = 'The service:'
const CLIENT = 'This client:'

export const ENTRIES: readonly Entry[] = [
  {
    name: 'proposals',
    group: WORK,
    description: 'list, read, approve, dismiss and revise proposals',
    load: () => import('./proposals.js'),
  },
  {
    name: 'generate',
    group: WORK,
    description: 'generate a batch of proposals',
    load: () => import('./generate.js'),
  },
  {
    name: 'runs',
    group: WORK,
    description: 'list and show generation runs',
    load: () => import('./runs.js'),
  },
  {
    name: 'experiments',
    group: WORK,
    description: 'declare, run, read and decide experiments',
    load: () => import('./experiments.js'),
  },
  {
    name: 'counts',
    group: WORK,
    description: 'count experiments by status',
    load: () => import('./counts.js'),
  },
  {
    name: 'learnings',
    group: WORK,
    description: 'read and approve what was learned',
    load: () => import('./learnings.js'),
  },
  {
    name: 'funnels',
    group: MEASURE,
    description: 'keep funnels in a file, and query them',
    load: () => import('./funnels.js'),
  },
  {
    name: 'events',
    group: MEASURE,
    description: 'watch, list and send events',
    load: () => import('./events.js'),
  },
  {
    name: 'readiness',
    group: SERVICE,
    description: 'show what is connected, and what is missing',
    load: () => import('./readiness.js'),
  },
  {
    name: 'audit',
    group: SERVICE,
    description: 'list what was written, by whom (with the session of a person)',
    load: () => import('./audit.js'),
  },
  {
    name: 'login',
    group: CLIENT,
    description: 'store a key, from a hidden prompt or standard input',
    load: () => import('./login.js'),
  },
  {
    name: 'logout',
    group: CLIENT,
    description: 'forget a stored key',
    load: () => import('./logout.js'),
  },
  {
    name: 'whoami',
    group: CLIENT,
    description: 'show which workspace the key opens, whom it acts as and what it may write',
    load: () => import('./whoami.js'),
  },
  {
    name: 'doctor',
    group: CLIENT,
    description: 'find out what is wrong between this client and the service',
    load: () => import('./doctor.js'),
  },
  {
    name: 'completion',
    group: CLIENT,
    description: 'print a script that completes commands in a shell',
    load: () => import('./completion.js'),
  },
]
