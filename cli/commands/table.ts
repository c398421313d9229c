import type { Command } from 'commander'
import type { Context } from '../context.js'

/** A first-level command. Its subcommands are loaded only when it is named: loading is slow. */
export interface CommandEntry {
  readonly name: string
  readonly group: string
  readonly description: string
  /** Adds options, arguments and subcommands. */
  readonly load: () => Promise<(command: Command, context: Context) => void>
}

function group(title: string, entries: readonly Omit<CommandEntry, 'group'>[]): CommandEntry[] {
  return entries.map((entry) => ({ ...entry, group: title }))
}

export const COMMANDS: readonly CommandEntry[] = [
  ...group('Experiments:', [
    {
      name: 'proposals',
      description: 'list, show, approve, dismiss and revise proposals',
      load: async () => (await import('./proposals.js')).defineProposals,
    },
    {
      name: 'generate',
      description: 'generate a batch of proposals',
      load: async () => (await import('./proposals.js')).defineGenerate,
    },
    {
      name: 'runs',
      description: 'list and show generation runs',
      load: async () => (await import('./proposals.js')).defineRuns,
    },
    {
      name: 'experiments',
      description: 'declare, run, show and decide experiments',
      load: async () => (await import('./experiments.js')).defineExperiments,
    },
    {
      name: 'counts',
      description: 'count experiments by status',
      load: async () => (await import('./service.js')).defineCounts,
    },
    {
      name: 'learnings',
      description: 'list, show and approve learnings',
      load: async () => (await import('./learnings.js')).defineLearnings,
    },
  ]),
  ...group('Measurement:', [
    {
      name: 'funnels',
      description: 'query funnels, and manage them in a file',
      load: async () => (await import('./funnels.js')).defineFunnels,
    },
    {
      name: 'trends',
      description: 'query events, persons and properties over time',
      load: async () => (await import('./insights.js')).defineTrends,
    },
    {
      name: 'retention',
      description: 'query how many persons come back',
      load: async () => (await import('./insights.js')).defineRetention,
    },
    {
      name: 'insights',
      description: 'save, list and query trends, retentions and funnel queries',
      load: async () => (await import('./insights.js')).defineInsights,
    },
    {
      name: 'dashboards',
      description: 'put insights on one page',
      load: async () => (await import('./insights.js')).defineDashboards,
    },
    {
      name: 'events',
      description: 'watch, list and send events',
      load: async () => (await import('./events.js')).defineEvents,
    },
    {
      name: 'ledger',
      description: 'check what arrived of a key, hour by hour',
      load: async () => (await import('./events.js')).defineLedger,
    },
  ]),
  ...group('The service:', [
    {
      name: 'readiness',
      description: 'show what is connected, and what is missing',
      load: async () => (await import('./service.js')).defineReadiness,
    },
    {
      name: 'audit',
      description: 'list what was written and by whom (needs the session of a person)',
      load: async () => (await import('./service.js')).defineAudit,
    },
    {
      name: 'privacy',
      description: 'erase and export a person (needs the session of an owner)',
      load: async () => (await import('./privacy.js')).definePrivacy,
    },
    {
      name: 'hooks',
      description: 'post what happens to other services (needs the session of an owner)',
      load: async () => (await import('./hooks.js')).defineHooks,
    },
  ]),
  ...group('This client:', [
    {
      name: 'login',
      description: 'store a key, from a hidden prompt or standard input',
      load: async () => (await import('./service.js')).defineLogin,
    },
    {
      name: 'logout',
      description: 'forget a stored key',
      load: async () => (await import('./service.js')).defineLogout,
    },
    {
      name: 'whoami',
      description: 'show the workspace of the key, the person it acts as and what it may write',
      load: async () => (await import('./service.js')).defineWhoami,
    },
    {
      name: 'doctor',
      description: 'find out what is wrong between this client and the service',
      load: async () => (await import('./service.js')).defineDoctor,
    },
    {
      name: 'completion',
      description: 'print a script that completes commands in a shell',
      load: async () => (await import('./service.js')).defineCompletion,
    },
  ]),
]
