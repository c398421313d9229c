import type { Command } from 'commander'
import { setQuota } from '../../postgres/tables/workspaces.js'
import { usageError } from '../command-error.js'
import { type Limit, parseLimit } from '../option-parsers.js'
import { printRecord, type Terminal } from '../output.js'
import { type AdminOptions, printFromDatabase, resolveWorkspace, WORKSPACE_OPTION } from './with-database.js'

const MAX_DAILY = 1_000_000_000_000_000
const MAX_A_SECOND = 2_000_000_000

interface SetOptions extends AdminOptions {
  readonly dailyEvents?: Limit
  readonly requestsPerSecond?: Limit
  readonly eventsPerSecond?: Limit
}

export function addQuotaCommands(admin: Command, terminal: Terminal): void {
  const quota = admin.command('quota').description('what a workspace may send')
  quota
    .command('set')
    .description('change the limits that are named and leave the others')
    .option('--daily-events <n>', 'events a UTC day, or none for no cap', parseLimit(0, MAX_DAILY, 'none'))
    .option(
      '--requests-per-second <n>',
      'of each server key, or default',
      parseLimit(1, MAX_A_SECOND, 'default'),
    )
    .option(
      '--events-per-second <n>',
      'of each server key, or default',
      parseLimit(1, MAX_A_SECOND, 'default'),
    )
    .option(...WORKSPACE_OPTION)
    .option(
      '--json',
      'print { workspaceId, dailyEvents, requestsPerSecond, eventsPerSecond }; null: no cap, or the default',
    )
    .action(async (options: SetOptions) => {
      const { dailyEvents, requestsPerSecond, eventsPerSecond } = options
      if (dailyEvents === undefined && requestsPerSecond === undefined && eventsPerSecond === undefined)
        throw usageError(
          'name at least one limit: --daily-events, --requests-per-second or --events-per-second',
        )
      await printFromDatabase(
        terminal,
        options,
        async (context) =>
          setQuota(context.sql, {
            workspaceId: await resolveWorkspace(context, options.workspace),
            ...(dailyEvents === undefined ? {} : { dailyEvents: dailyEvents.limit }),
            ...(requestsPerSecond === undefined ? {} : { requestsPerSecond: requestsPerSecond.limit }),
            ...(eventsPerSecond === undefined ? {} : { eventsPerSecond: eventsPerSecond.limit }),
          }),
        (quota) =>
          printRecord(terminal, {
            workspaceId: quota.workspaceId,
            dailyEvents: quota.dailyEvents ?? 'none',
            requestsPerSecond: quota.requestsPerSecond ?? 'default',
            eventsPerSecond: quota.eventsPerSecond ?? 'default',
          }),
      )
    })
}
