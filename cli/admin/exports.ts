import type { Command } from 'commander'
import { dayOf } from '../../domain/day.js'
import { forgetFailedJob } from '../../management/jobs/jobs-table.js'
import { listExportedDays, requestDays } from '../../postgres/tables/exported-days.js'
import { usageError } from '../command-error.js'
import { parseDay } from '../option-parsers.js'
import { printRecord, type Terminal } from '../output.js'
import { addListCommand } from './resource-commands.js'
import { type AdminOptions, changeInWorkspace, WORKSPACE_OPTION } from './with-database.js'

const DAY_MS = 86_400_000
const LISTED_DAYS = 400

interface RequestOptions extends AdminOptions {
  readonly from: string
  readonly to?: string
}

/** The group `export`. */
export function addExportCommands(admin: Command, terminal: Terminal): void {
  const parent = admin.command('export').description('days of events in S3-compatible storage')
  addListCommand(parent, terminal, {
    description: `list the newest ${LISTED_DAYS} days of receipt, newest first`,
    fields: 'day, events, parts, writtenAt, due, error',
    columns: ['day', 'events', 'parts', 'written', 'state'],
    read: ({ sql }, workspaceId) => listExportedDays(sql, workspaceId, LISTED_DAYS),
    cells: ({ day, events, parts, writtenAt, due, error }) => ({
      day,
      events,
      parts,
      written: writtenAt?.toISOString() ?? '',
      state: due ? (error ?? 'waits') : 'written',
    }),
  })
  parent
    .command('s3')
    .description('write days of receipt, for the first time or again; the running server does it')
    .requiredOption('--from <day>', 'first UTC day, such as 2026-03-01', parseDay)
    .option('--to <day>', 'last day (default: yesterday)', parseDay)
    .option(...WORKSPACE_OPTION)
    .option('--json', 'print { workspaceId, from, to, days }')
    .action((options: RequestOptions) =>
      changeInWorkspace(
        terminal,
        options,
        'export.request',
        async (tx, { workspaceId, now }) => {
          const yesterday = dayOf(now.getTime() - DAY_MS)
          const { from, to = yesterday } = options
          if (to > yesterday)
            throw usageError(`--to ${to} is not over: the last day that can be written is ${yesterday}`)
          if (from > to) throw usageError(`--from ${from} is after --to ${to}`)
          const days = await requestDays(tx, workspaceId, from, dayOf(Date.parse(to) + DAY_MS))
          await forgetFailedJob(tx, { name: 'export', key: workspaceId })
          return {
            result: { workspaceId, from, to, days },
            audit: { resourceId: workspaceId, summary: `Asked for the export of ${from} to ${to}` },
          }
        },
        (result) => printRecord(terminal, result),
      ),
    )
}
