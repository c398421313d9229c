import type { Results } from '../../domain/statistics/index.js'
import { formatFilter } from '../../domain/text/filter.js'
import { formatChange, formatPercent, formatProbability } from '../../domain/text/format.js'
import { dismissalLabel, rejectedStageLabel, statusLabel } from '../../domain/text/labels.js'
import { reachOf, servedText } from '../../domain/text/serving.js'
import type { Result } from '../client/api.js'
import type { CommonOptions, Context } from '../context.js'
import { escapeControls } from '../output.js'
import { renderChecks } from '../render/checks.js'
import { renderDiff } from '../render/diff.js'
import { printAnswer } from '../render/page.js'
import { figures, type RecordField, renderRecord, renderTable } from '../render/table.js'
import {
  type Color,
  colorize,
  formatTime,
  statusColor,
  type TerminalStyle,
} from '../render/terminal-style.js'
import { renderResults } from './results.js'

type Detail = Result<'getExperiment'>

export async function showExperiment(context: Context, id: string, options: CommonOptions): Promise<void> {
  const answer = await (await context.api()).call('getExperiment', { path: { id } })
  await printAnswer(context, options, answer, describeExperiment)
}

function describeExperiment(style: TerminalStyle, detail: Detail): string {
  const heading = (title: string): string => `\n${colorize(style, 'bold', title)}\n`
  const results = detail.results as Results | null
  const { measurements, readiness, plan } = detail
  return [
    renderRecord(style, fieldsOf(style, detail)),
    heading('Variants'),
    renderTable<Detail['variants'][number]>(
      style,
      [
        { title: 'key', text: ({ key }) => key, minWidth: 8 },
        { title: 'name', text: ({ displayName }) => displayName, minWidth: 8, dropPriority: 1 },
        figures('traffic', ({ trafficSplit }) => formatPercent(trafficSplit / 100)),
        { title: '', text: ({ isControl }) => (isControl ? 'control' : '') },
      ],
      detail.variants,
    ),
    heading('Targets'),
    renderTable(
      style,
      [
        { title: 'event', text: ({ eventName }) => eventName, minWidth: 10 },
        { title: 'name', text: ({ name }) => name, minWidth: 8, dropPriority: 1 },
        { title: 'better', text: ({ direction }) => direction },
        {
          title: 'window',
          text: ({ windowHours }) => (windowHours === null ? 'any time' : `${windowHours}h`),
        },
        {
          title: 'filters',
          text: ({ filters }) => filters.map(formatFilter).join(' and '),
          minWidth: 8,
          dropPriority: 2,
        },
      ],
      detail.conversionTargets,
    ),
    ...(results === null
      ? measurements === null
        ? []
        : [
            heading('Measured'),
            `${formatChange(measurements.estimatedLift)} lift, ${formatProbability(measurements.confidence)} chance to win\n`,
          ]
      : [heading('Results'), renderResults(style, results)]),
    ...(['approved', 'pr_open', 'ready'].includes(detail.status)
      ? [
          heading('Ready to start'),
          renderChecks(
            style,
            readiness.checks.map((check) => ({ ...check, fix: '' })),
          ),
        ]
      : []),
    ...(plan === undefined ? [] : [heading('Plan'), describePlan(style, plan)]),
  ].join('')
}

function fieldsOf(style: TerminalStyle, detail: Detail): RecordField[] {
  const { decision, dismissal, surfaces } = detail
  const optional = (name: string, text: string | null | undefined): RecordField[] =>
    text === '' || text === null || text === undefined ? [] : [[name, text]]
  return [
    ['key', detail.key, 'bold'],
    ['name', detail.name],
    ['status', statusLabel(detail.status), statusColor(detail.status)],
    ['visitors see', describeServing(style, detail)],
    ...optional('rejected at', detail.rejectedStage && rejectedStageLabel(detail.rejectedStage)),
    ...optional('hypothesis', detail.hypothesis),
    ...optional('mechanism', detail.mechanism),
    ...optional('notes', detail.notes),
    ['priority', detail.priority],
    ...optional(
      'surfaces',
      surfaces.map(({ path, anchor }) => (anchor === null ? path : `${path} at ${anchor}`)).join(', '),
    ),
    ...pullRequestField('pull request', detail.pullRequest),
    ...pullRequestField('cleanup', detail.cleanupPullRequest),
    ...(dismissal === null
      ? []
      : optional(
          'dismissed',
          `${dismissal.reasons.map(dismissalLabel).join(', ')}${dismissal.note === null ? '' : `: ${dismissal.note}`}`,
        )),
    ...(decision === null
      ? []
      : [
          [
            'decision',
            [decision.outcome, decision.variant ?? '', decision.reason === null ? '' : `(${decision.reason})`]
              .filter((part) => part !== '')
              .join(' '),
          ] as const,
        ]),
    ...(detail.status === 'settling' && decision !== null
      ? [['takes effect', formatTime(style, decision.settlesAt)] as const]
      : []),
    ['created', formatTime(style, detail.createdAt)],
    ...(detail.startedAt === null ? [] : [['started', formatTime(style, detail.startedAt)] as const]),
    ...(detail.endedAt === null ? [] : [['ended', formatTime(style, detail.endedAt)] as const]),
    ['id', detail.id],
  ]
}

function describeServing(style: TerminalStyle, detail: Detail): string {
  const shown = servedText(detail)
  const reach = reachOf(detail, Date.now())
  if (reach === undefined) return shown
  if (reach.kind === 'silent') return 'the control, because no relay has asked in the last hour'
  if (reach.kind === 'soon') return `${shown} (within ten seconds)`
  if (reach.kind === 'known') return `${shown} (the site's relays know this)`
  const askedAt = formatTime(style, reach.lastAskedAt)
  return `${shown} (a relay asked last at ${askedAt}: its pages may show what was served before)`
}

function pullRequestField(name: string, pullRequest: Detail['pullRequest']): RecordField[] {
  if (pullRequest === null) return []
  const { number, url, branch, state, error } = pullRequest
  const text = [number === null ? '' : `#${number}`, state, url ?? branch ?? '', error ?? ''].filter(
    (part) => part !== '',
  )
  return [[name, text.join(' '), state === 'failed' ? 'red' : undefined]]
}

const STATES: Readonly<Record<string, Color>> = { changed: 'yellow', moved: 'yellow', gone: 'red' }

function describePlan(style: TerminalStyle, { commit, files }: NonNullable<Detail['plan']>): string {
  const head = commit === null ? '' : `written against ${escapeControls(commit)}\n`
  return (
    head +
    files
      .map(({ path, action, summary, diff, state, movedTo }) => {
        const stands =
          state === null || state === 'current'
            ? ''
            : ` ${colorize(style, STATES[state], `(${state}${movedTo === null ? '' : ` to ${escapeControls(movedTo)}`} since)`)}`
        const title = `${colorize(style, 'bold', `${action} ${escapeControls(path)}`)}${stands}`
        return `${title}\n${summary === '' ? '' : `${escapeControls(summary)}\n`}${diff === null ? '' : renderDiff(style, diff)}`
      })
      .join('\n')
  )
}
