import type { Command } from 'commander'
import { setQuota } from '../../postgres/tables/workspaces.js'
import { CommandError, EXIT } from '../command-error.js'
import { type Limit, parseId, parseLimit } from '../option-parsers.js'
import { printJson, printRecord, type Terminal } from '../output.js'
import { resolveWorkspace, withAdminDatabase } from './with-database.js'

const MAX_DAILY = 1_000_000_000_000_000
const MAX_A_SECOND = 2_000_000_000

interface SetOptions {
  readonly dailyEvents?: Limit
  readonly requestsPerSecond?: Limit
  readonly eventsPerSecond?: Limit
  readonly workspace?: string
  readonly json?: true
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
    .option('--workspace <id>', 'workspace (default: the only one)', parseId)
    .option(
      '--json',
      'print { workspaceId, dailyEvents, requestsPerSecond, eventsPerSecond }; null: no cap, or the default',
    )
    .action(async (options: SetOptions) => {
      const { dailyEvents, requestsPerSecond, eventsPerSecond } = options
      if (dailyEvents === undefined && requestsPerSecond === undefined && eventsPerSecond === undefined)
        throw new CommandError(
          EXIT.usage,
          'name at least one limit: --daily-events, --requests-per-second or --events-per-second',
        )
      await withAdminDatabase(terminal, async (context) => {
        const result = await setQuota(context.sql, {
          workspaceId: await resolveWorkspace(context, options.workspace),
          ...(dailyEvents === undefined ? {} : { dailyEvents: dailyEvents.limit }),
          ...(requestsPerSecond === undefined ? {} : { requestsPerSecond: requestsPerSecond.limit }),
          ...(eventsPerSecond === undefined ? {} : { eventsPerSecond: eventsPerSecond.limit }),
        })
        if (options.json) printJson(terminal, result)
        else
          printRecord(terminal, {
            workspaceId: result.workspaceId,
            dailyEvents: result.dailyEvents ?? 'none',
            requestsPerSecond: result.requestsPerSecond ?? 'default',
            eventsPerSecond: result.eventsPerSecond ?? 'default',
          })
      })
    })
}
