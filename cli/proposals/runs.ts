import type { ApiResponse, Result } from '../client/api.js'
import { CommandError, EXIT } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { printPage } from '../render/page.js'
import { renderRecord } from '../render/table.js'
import {
  formatAge,
  formatDuration,
  formatPercent,
  formatTime,
  statusColor,
  type TerminalStyle,
} from '../render/terminal-style.js'
import { waitUntil } from '../wait.js'

export type Run = Result<'getGenerationRun'>

const TIMEOUT_SECONDS = 600

export async function listRuns(
  context: Context,
  { json, ...query }: CommonOptions & { readonly limit?: number; readonly offset?: number },
): Promise<void> {
  const answer = await (await context.api()).call('listGenerationRuns', { query })
  const style = context.style()
  await printPage(context, { json }, answer, 'runs', [
    { title: 'id', text: (run) => run.id },
    { title: 'status', text: (run) => run.status, color: (run) => statusColor(run.status), dropPriority: 0 },
    { title: 'kept', text: (run) => `${run.survived}/${run.requested}`, alignRight: true, dropPriority: 4 },
    {
      title: 'took',
      text: (run) => (run.durationMs === null ? '-' : formatDuration(run.durationMs)),
      dropPriority: 2,
    },
    { title: 'created', text: (run) => formatAge(style, run.createdAt), dropPriority: 1 },
    { title: 'error', text: (run) => run.error?.message ?? '', minWidth: 10, dropPriority: 3 },
  ])
}

export async function showRun(
  context: Context,
  id: string,
  options: CommonOptions & { readonly wait?: boolean; readonly timeout?: number },
): Promise<void> {
  const api = await context.api()
  const answer = options.wait
    ? await waitForRun(context, id, options.timeout)
    : await api.call('getGenerationRun', { path: { runId: id } })
  printRun(context, options, answer)
  if (options.wait) requireSuccess(answer.body)
}

/** The run once it is over. */
export async function waitForRun(
  context: Context,
  id: string,
  timeoutSeconds = TIMEOUT_SECONDS,
): Promise<ApiResponse<Run>> {
  const api = await context.api()
  return waitUntil(context, {
    what: 'generating proposals',
    timeoutSeconds,
    retryCommand: `svc runs show ${id}`,
    poll: (signal) => api.call('getGenerationRun', { path: { runId: id } }, signal),
    isDone: ({ body }) => body.status === 'succeeded' || body.status === 'failed',
    describe: ({ body }: ApiResponse<Run>) =>
      [body.status, body.step ?? '', formatPercent(body.progress, 0)].filter((part) => part !== '').join(' '),
  })
}

export function printRun(context: Context, options: CommonOptions, { text, body }: ApiResponse<Run>): void {
  context.terminal.out(options.json ? `${text}\n` : describeRun(context.style(), body))
}

/** Throws where a run has failed: the command did not come to what was asked for. */
export function requireSuccess(run: Run): void {
  if (run.status === 'failed')
    throw new CommandError(
      EXIT.refused,
      `the run failed: ${run.error?.message ?? 'no reason was kept'}`,
      'RUN_FAILED',
      [
        ...(run.error === null ? [] : [`at the step ${run.error.step}`]),
        'try: svc readiness, which says what is missing',
      ],
    )
}

function describeRun(style: TerminalStyle, run: Run): string {
  return renderRecord(style, [
    ['id', run.id],
    ['status', run.status, statusColor(run.status)],
    ...(run.step === null ? [] : [['step', run.step] as const]),
    ['progress', formatPercent(run.progress, 0)],
    ['requested', String(run.requested)],
    ['generated', String(run.generated)],
    ['kept', String(run.survived)],
    ...run.dropped.map(({ reason, count }) => ['dropped', `${count} × ${reason}`] as const),
    ['created', formatTime(style, run.createdAt)],
    ['started', formatTime(style, run.startedAt)],
    ['finished', formatTime(style, run.finishedAt)],
    ['took', run.durationMs === null ? '-' : formatDuration(run.durationMs)],
    ...(run.error === null ? [] : [['error', `${run.error.step}: ${run.error.message}`, 'red'] as const]),
  ])
}
