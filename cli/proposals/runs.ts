import type { Answer, Result } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { CommandFailure, EXIT } from '../failure.js'
import { showPage } from '../render/list.js'
import { duration, type Look, moment, percent, statusPaint, when } from '../render/look.js'
import { renderRecord } from '../render/table.js'
import { waitUntil } from '../wait.js'

export type Run = Result<'getGenerationRun'>

const TIMEOUT_SECONDS = 600

export async function listRuns(
  context: Context,
  { json, ...query }: Common & { readonly limit?: number; readonly offset?: number },
): Promise<void> {
  const answer = await (await context.api()).call('listGenerationRuns', { query })
  const look = context.look()
  await showPage(context, { json }, answer, 'runs', [
    { title: 'id', text: (run) => run.id },
    { title: 'status', text: (run) => run.status, paint: (run) => statusPaint(run.status), drop: 0 },
    { title: 'kept', text: (run) => `${run.survived}/${run.requested}`, right: true, drop: 4 },
    { title: 'took', text: (run) => (run.durationMs === null ? '-' : duration(run.durationMs)), drop: 2 },
    { title: 'created', text: (run) => when(look, run.createdAt), drop: 1 },
    { title: 'error', text: (run) => run.error?.message ?? '', least: 10, drop: 3 },
  ])
}

export async function showRun(
  context: Context,
  id: string,
  options: Common & { readonly wait?: boolean; readonly timeout?: number },
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
): Promise<Answer<Run>> {
  const api = await context.api()
  return waitUntil(context, {
    what: 'generating proposals',
    timeoutSeconds,
    again: `svc runs show ${id}`,
    ask: (signal) => api.call('getGenerationRun', { path: { runId: id } }, signal),
    isOver: ({ body }) => body.status === 'succeeded' || body.status === 'failed',
    state: ({ body }: Answer<Run>) =>
      [body.status, body.step ?? '', percent(body.progress, 0)].filter((part) => part !== '').join(' '),
  })
}

export function printRun(context: Context, options: Common, { text, body }: Answer<Run>): void {
  context.terminal.out(options.json ? `${text}\n` : describeRun(context.look(), body))
}

/** Throws where a run has failed: the command did not come to what was asked for. */
export function requireSuccess(run: Run): void {
  if (run.status === 'failed')
    throw new CommandFailure(
      EXIT.refused,
      `the run failed: ${run.error?.message ?? 'no reason was kept'}`,
      'RUN_FAILED',
      [
        ...(run.error === null ? [] : [`at the step ${run.error.step}`]),
        'try: svc readiness, which says what is missing',
      ],
    )
}

function describeRun(look: Look, run: Run): string {
  return renderRecord(look, [
    ['id', run.id],
    ['status', run.status, statusPaint(run.status)],
    ...(run.step === null ? [] : [['step', run.step] as const]),
    ['progress', percent(run.progress, 0)],
    ['requested', String(run.requested)],
    ['generated', String(run.generated)],
    ['kept', String(run.survived)],
    ...run.dropped.map(({ reason, count }) => ['dropped', `${count} × ${reason}`] as const),
    ['created', moment(look, run.createdAt)],
    ['started', moment(look, run.startedAt)],
    ['finished', moment(look, run.finishedAt)],
    ['took', run.durationMs === null ? '-' : duration(run.durationMs)],
    ...(run.error === null ? [] : [['error', `${run.error.step}: ${run.error.message}`, 'red'] as const]),
  ])
}
