import type { Results } from '../../domain/statistics/index.js'
import type { Result } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { printable } from '../output.js'
import { renderDiff } from '../render/diff.js'
import { type Look, moment, type Paint, paint, percent, signed, statusPaint } from '../render/look.js'
import { type Field, renderRecord, renderTable } from '../render/table.js'
import { renderChecks } from '../service/checks.js'
import { renderResults } from './render-results.js'

type Detail = Result<'getExperiment'>

/** All of an experiment or a proposal; through the pager where it is long. */
export async function showExperiment(context: Context, id: string, options: Common): Promise<void> {
  const { text, body } = await (await context.api()).call('getExperiment', { path: { id } })
  const { terminal } = context
  if (options.json) {
    terminal.out(`${text}\n`)
    return
  }
  const shown = describeExperiment(context.look(), body)
  await (terminal.page?.(shown) ?? terminal.out(shown))
}

function describeExperiment(look: Look, detail: Detail): string {
  const heading = (title: string): string => `\n${paint(look, 'bold', title)}\n`
  const results = detail.results as Results | null
  const { measurements, readiness, plan } = detail
  return [
    renderRecord(look, fieldsOf(look, detail)),
    heading('Variants'),
    renderTable(
      look,
      [
        { title: 'key', text: ({ key }) => key, least: 8 },
        { title: 'name', text: ({ displayName }) => displayName, least: 8, drop: 1 },
        { title: 'traffic', text: ({ trafficSplit }) => `${trafficSplit}%`, right: true },
        { title: '', text: ({ isControl }) => (isControl ? 'control' : '') },
      ],
      detail.variants,
    ),
    heading('Targets'),
    renderTable(
      look,
      [
        { title: 'event', text: ({ eventName }) => eventName, least: 10 },
        { title: 'name', text: ({ name }) => name, least: 8, drop: 1 },
        { title: 'better', text: ({ direction }) => direction },
        {
          title: 'within',
          text: ({ windowHours }) => (windowHours === null ? 'any time' : `${windowHours}h`),
        },
        {
          title: 'where',
          text: ({ filters }) => filters.map((filter) => JSON.stringify(filter)).join(' '),
          least: 8,
          drop: 2,
        },
      ],
      detail.conversionTargets,
    ),
    ...(results === null
      ? measurements === null
        ? []
        : [
            heading('Measured'),
            `${signed(measurements.estimatedLift)} lift, ${percent(measurements.confidence)} chance to win\n`,
          ]
      : [heading('Results'), renderResults(look, results)]),
    ...(['approved', 'pr_open', 'ready'].includes(detail.status)
      ? [
          heading('Ready to start'),
          renderChecks(
            look,
            readiness.checks.map((check) => ({ ...check, fix: '' })),
          ),
        ]
      : []),
    ...(plan === undefined ? [] : [heading('Plan'), describePlan(look, plan)]),
  ].join('')
}

function fieldsOf(look: Look, detail: Detail): Field[] {
  const { decision, dismissal, surfaces } = detail
  const optional = (name: string, text: string | null | undefined): Field[] =>
    text === '' || text === null || text === undefined ? [] : [[name, text]]
  return [
    ['key', detail.key, 'bold'],
    ['name', detail.name],
    ['status', detail.status, statusPaint(detail.status)],
    ...optional('rejected at', detail.rejectedStage),
    ...optional('hypothesis', detail.hypothesis),
    ...optional('mechanism', detail.mechanism),
    ...optional('notes', detail.notes),
    ['priority', detail.priority],
    ...optional('surfaces', surfaces.map(({ path, anchor }) => `${path}${anchor ?? ''}`).join(', ')),
    ...pullRequestField('pull request', detail.pullRequest),
    ...pullRequestField('cleanup', detail.cleanupPullRequest),
    ...(dismissal === null
      ? []
      : optional(
          'dismissed',
          `${dismissal.reasons.join(', ')}${dismissal.note === null ? '' : `: ${dismissal.note}`}`,
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
      ? [['takes effect', moment(look, decision.settlesAt)] as const]
      : []),
    ['created', moment(look, detail.createdAt)],
    ...(detail.startedAt === null ? [] : [['started', moment(look, detail.startedAt)] as const]),
    ...(detail.endedAt === null ? [] : [['ended', moment(look, detail.endedAt)] as const]),
    ['id', detail.id],
  ]
}

function pullRequestField(name: string, pullRequest: Detail['pullRequest']): Field[] {
  if (pullRequest === null) return []
  const { number, url, branch, state, error } = pullRequest
  const text = [number === null ? '' : `#${number}`, state, url ?? branch ?? '', error ?? ''].filter(
    (part) => part !== '',
  )
  return [[name, text.join(' '), state === 'failed' ? 'red' : undefined]]
}

const STATES: Readonly<Record<string, Paint>> = { changed: 'yellow', moved: 'yellow', gone: 'red' }

function describePlan(look: Look, { commit, files }: NonNullable<Detail['plan']>): string {
  const head = commit === null ? '' : `written against ${printable(commit)}\n`
  return (
    head +
    files
      .map(({ path, action, summary, diff, state, movedTo }) => {
        const stands =
          state === null || state === 'current'
            ? ''
            : ` ${paint(look, STATES[state], `(${state}${movedTo === null ? '' : ` to ${printable(movedTo)}`} since)`)}`
        const title = `${paint(look, 'bold', `${action} ${printable(path)}`)}${stands}`
        return `${title}\n${summary === '' ? '' : `${printable(summary)}\n`}${diff === null ? '' : renderDiff(look, diff)}`
      })
      .join('\n')
  )
}
