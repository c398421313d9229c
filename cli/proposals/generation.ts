import { formatCount, formatDuration, formatPercent, pluralize } from '../../domain/text/format.js'
import { countRun } from '../../domain/text/run-counts.js'
import type { ApiResponse, Result } from '../client/api.js'
import { refusedError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { printJsonText } from '../output.js'
import { printAnswer } from '../render/page.js'
import { type RecordField, renderRecord } from '../render/table.js'
import { colorize, formatTime, statusColor, type TerminalStyle } from '../render/terminal-style.js'
import { pollUntilDone } from '../wait.js'

type Run = Result<'getGenerationRun'>

interface WaitFlags extends CommonOptions {
  readonly wait?: boolean
  readonly timeout?: number
}

interface GenerateOptions extends WaitFlags {
  readonly count?: number
  readonly focus?: string
  readonly replace?: boolean
}

export async function generate(context: Context, options: GenerateOptions): Promise<void> {
  const { json, wait, timeout, ...body } = options
  const { terminal } = context
  const accepted = await (await context.api()).call('generateProposals', { body })
  const { runId, status } = accepted.body
  if (wait) {
    const run = await waitForRun(context, runId, timeout)
    await printAnswer(context, { json }, run, describeRun)
    assertSucceeded(run.body)
    if (!json) terminal.err(nextSteps(run.body))
  } else if (json) printJsonText(terminal, accepted.text)
  else {
    terminal.out(`Run ${runId} is ${colorize(context.style(), statusColor(status), status)}.\n`)
    terminal.err(`Look again with: svc runs show ${runId} --wait\n`)
  }
}

export async function showRun(context: Context, id: string, options: WaitFlags): Promise<void> {
  const run = options.wait
    ? await waitForRun(context, id, options.timeout)
    : await (await context.api()).call('getGenerationRun', { path: { runId: id } })
  await printAnswer(context, options, run, describeRun)
  if (options.wait) assertSucceeded(run.body)
}

export async function revise(
  context: Context,
  id: string,
  text: string,
  { json, wait, timeout }: WaitFlags,
): Promise<void> {
  const { terminal } = context
  const api = await context.api()
  const instructions = text === '-' ? (await context.readStdin()).trim() : text
  const accepted = await api.call('refineProposal', { path: { id }, body: { instructions } })
  if (!wait) {
    const { status } = accepted.body
    if (json) return printJsonText(terminal, accepted.text)
    terminal.out(`The revision of ${id} is ${colorize(context.style(), statusColor(status), status)}.\n`)
    return terminal.err(`Look again with: svc proposals show ${id}\n`)
  }
  const answer = await pollUntilDone(context, {
    what: `revising ${id}`,
    timeoutSeconds: timeout,
    retryCommand: `svc proposals show ${id}`,
    poll: (signal) => api.call('getRefinement', { path: { id } }, signal),
    // Another revision can only follow when this one is over.
    isDone: ({ body }) => body === null || body.id !== accepted.body.id || body.finishedAt !== null,
    describe: ({ body }) => body?.status ?? 'gone',
  })
  const revision = answer.body
  if (json) printJsonText(terminal, answer.text)
  else if (revision?.status === 'done')
    terminal.out(`${id} is rewritten. Read it with: svc proposals show ${id}\n`)
  if (revision?.status === 'failed')
    throw refusedError(
      `the revision failed: ${revision.error ?? 'no reason was recorded'}`,
      'REVISION_FAILED',
    )
}

/** Next steps after a batch: read it, let svc write to more files, or connect a model. */
export function nextSteps({ id, survived, dropped }: Pick<Run, 'id' | 'survived' | 'dropped'>): string {
  const countOf = (wanted: string): number => dropped.find(({ reason }) => reason === wanted)?.count ?? 0
  const notAllowed = countOf('path_not_allowed')
  const withoutIdea = countOf('page_without_idea')
  const steps = [
    survived > 0 && `Read them with: svc proposals list --experiment-run-id ${id}`,
    notAllowed > 0 &&
      `${notAllowed} ${notAllowed === 1 ? 'idea was' : 'ideas were'} dropped because svc may not write to their files. To allow it, connect the repository again: for pages beside a folder src with --helper, a path in the folder that the site serves; for guarded paths with --allow`,
    withoutIdea > 0 &&
      `No rule applies to ${withoutIdea} ${withoutIdea === 1 ? 'page' : 'pages'}. To get ideas for the rest, connect a language model: set SVC_LLM_URL and SVC_LLM_MODEL`,
  ].filter((step) => step !== false)
  const nothing =
    'No rule found anything worth testing. To declare an experiment yourself: svc experiments create FILE'
  return `${(steps.length > 0 ? steps : [nothing]).join('\n')}\n`
}

async function waitForRun(
  context: Context,
  id: string,
  timeoutSeconds: number | undefined,
): Promise<ApiResponse<Run>> {
  const api = await context.api()
  return pollUntilDone(context, {
    what: 'generating proposals',
    timeoutSeconds,
    retryCommand: `svc runs show ${id}`,
    poll: (signal) => api.call('getGenerationRun', { path: { runId: id } }, signal),
    isDone: ({ body }) => body.status === 'succeeded' || body.status === 'failed',
    describe: ({ body }: ApiResponse<Run>) =>
      [body.status, body.step ?? '', formatPercent(body.progress)].filter((part) => part !== '').join(' '),
  })
}

function assertSucceeded({ status, error }: Run): void {
  if (status === 'failed')
    throw refusedError(`the run failed: ${error?.message ?? 'no reason was recorded'}`, 'RUN_FAILED', [
      ...(error === null ? [] : [`at the step ${error.step}`]),
      'try: svc readiness, which names what is missing',
    ])
}

function describeRun(style: TerminalStyle, run: Run): string {
  const { found, stored, dropped, skipped } = countRun(run)
  const fields: (RecordField | false)[] = [
    ['id', run.id],
    ['status', run.status, statusColor(run.status)],
    run.step !== null && ['step', run.step],
    ['progress', formatPercent(run.progress)],
    ['requested', String(run.requested)],
    ['found', String(found)],
    ['dropped', String(found - stored)],
    ...dropped.map(({ label, count }): RecordField => ['', `${count} ${label}`]),
    ['stored', String(stored)],
    ...skipped.map(({ label, count }): RecordField => ['skipped', `${count} ${label}`]),
    ...run.ideas.map(
      ({ name, outcome, reason, message }): RecordField => [
        reason === 'fault_seen' ? 'fault' : outcome === 'stored' ? 'idea' : 'dropped idea',
        message === null ? name : `${name}: ${message}`,
      ],
    ),
    ...run.files.map(({ path, why }): RecordField => ['read', `${path}: ${why}`]),
    run.questions > 0 && [
      'model',
      `${pluralize(run.questions, 'question')}, ${formatCount(run.tokens)} tokens (${run.asked.map(({ step, seconds }) => `${step} ${formatDuration(seconds * 1_000)}`).join(', ')})`,
    ],
    ['created', formatTime(style, run.createdAt)],
    ['started', formatTime(style, run.startedAt)],
    ['finished', formatTime(style, run.finishedAt)],
    ['took', run.durationMs === null ? '-' : formatDuration(run.durationMs)],
    run.error !== null && ['error', `${run.error.step}: ${run.error.message}`, 'red'],
  ]
  return renderRecord(
    style,
    fields.filter((field) => field !== false),
  )
}
