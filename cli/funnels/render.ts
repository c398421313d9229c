import { formatCount, formatDuration, formatPercent } from '../../domain/text/format.js'
import type { Result } from '../client/api.js'
import { displayWidth, escapeControls, truncate } from '../output.js'
import { sparkline } from '../render/charts.js'
import { figures, renderTable } from '../render/table.js'
import { colorize, padEnd, padStart, type TerminalStyle, wrapText } from '../render/terminal-style.js'

type Answer = Result<'queryFunnelDraft'>
type Step = Answer['steps'][number]
type Group = NonNullable<Answer['breakdown']>[number]

const WIDE = 100
const WIDEST_NAME = 30
const SHORTEST_BAR = 6
const LONGEST_BAR = 40

/** Bars for the steps, a table for the breakdown, a sparkline for the trend. */
export function renderQuery(
  style: TerminalStyle,
  name: string,
  answer: Answer,
  breakdown: string | undefined,
): string {
  const { from, to, windowSeconds, order, query } = answer
  const columns = style.columns ?? WIDE
  const day = (iso: string): string =>
    style.columns === undefined ? iso : iso.slice(0, 16).replace('T', ' ')
  const head = wrapText(
    `${escapeControls(name)}: ${day(from)} to ${day(to)}, ${order}, conversion window ${formatDuration(windowSeconds * 1_000)}`,
    columns,
  )
  const parts = [
    `${head.join('\n')}\n`,
    renderSteps(style, columns, answer.steps),
    ...(answer.breakdown === null ? [] : [renderGroups(style, answer.breakdown, breakdown)]),
    ...(answer.trend === null ? [] : [renderTrend(style, columns, answer.trend)]),
    colorize(
      style,
      'dim',
      wrapText(
        `${formatCount(answer.completed)} of ${formatCount(answer.entered)} persons, ${formatPercent(answer.conversionRate)}; ${formatCount(query.rowsRead)} rows in ${Math.round(query.elapsedMs)} ms`,
        columns,
      ).join('\n'),
    ).concat('\n'),
  ]
  return parts.join('\n')
}

function renderSteps(style: TerminalStyle, columns: number, steps: readonly Step[]): string {
  const names = steps.map(({ index, name }) => `${index + 1} ${escapeControls(name)}`)
  const nameColumns = Math.min(WIDEST_NAME, Math.floor(columns / 3), Math.max(...names.map(displayWidth)))
  const counts = steps.map(({ count }) => formatCount(count))
  const countColumns = Math.max(...counts.map(displayWidth))
  const shares = steps.map(({ conversionFromStart }) => formatPercent(conversionFromStart))
  const beside = nameColumns + countColumns + 6 + 3 * 2
  const bar = Math.max(SHORTEST_BAR, Math.min(LONGEST_BAR, columns - beside))
  const most = Math.max(1, ...steps.map(({ count }) => count))
  const losses = steps.map((step, at) => (at === 0 ? '' : lossOf(step)))
  const needed = beside + bar + 2 + Math.max(...losses.map(displayWidth))
  const roomy = style.columns === undefined || style.columns >= needed
  return steps
    .map((step, at) => {
      const line = [
        padEnd(truncate(names[at] ?? '', nameColumns), nameColumns),
        colorize(style, 'cyan', padEnd(drawBar(step.count / most, bar), bar)),
        padStart(counts[at] ?? '', countColumns),
        padStart(shares[at] ?? '', 6),
      ].join('  ')
      const lost = losses[at] ?? ''
      if (lost === '') return line
      return roomy
        ? `${line}  ${colorize(style, 'dim', lost)}`
        : [line, ...wrapText(lost, columns - 2).map((each) => colorize(style, 'dim', `  ${each}`))].join('\n')
    })
    .join('\n')
    .concat('\n')
}

function lossOf({
  dropOff,
  conversionFromPrevious,
  medianSecondsFromPrevious,
  p90SecondsFromPrevious,
}: Step): string {
  const time =
    medianSecondsFromPrevious === null
      ? ''
      : `, median ${formatDuration(medianSecondsFromPrevious * 1_000)}, p90 ${formatDuration(p90SecondsFromPrevious === null ? null : p90SecondsFromPrevious * 1_000)}`
  return `${formatPercent(conversionFromPrevious)} of the previous step, ${formatCount(dropOff)} dropped off${time}`
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar with a resolution of an eighth of a column. */
function drawBar(share: number, columns: number): string {
  const eighths = Math.round(share * columns * 8)
  const bar = '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
  // A small share is still visible.
  return bar === '' && share > 0 ? '▏' : bar
}

function renderGroups(style: TerminalStyle, groups: readonly Group[], breakdown: string | undefined): string {
  if (groups.length === 0) return 'No breakdown: no person entered.\n'
  const steps = groups[0]?.steps ?? []
  return renderTable<Group>(
    style,
    [
      {
        title: breakdown ?? 'variant',
        text: ({ value }) =>
          value === null ? '(none)' : typeof value === 'string' ? value : JSON.stringify(value),
        minWidth: 8,
      },
      figures('entered', ({ entered }) => formatCount(entered)),
      ...steps
        .slice(1, -1)
        .map(({ name }, at) =>
          figures<Group>(name.slice(0, 16), (group) => formatCount(group.steps[at + 1]?.count ?? 0), at + 1),
        ),
      figures('completed', ({ completed }) => formatCount(completed)),
      figures('rate', ({ conversionRate }) => formatPercent(conversionRate)),
    ],
    groups,
  )
}

function renderTrend(style: TerminalStyle, columns: number, trend: NonNullable<Answer['trend']>): string {
  const shown = trend.slice(-columns)
  const rates = shown.map(({ conversionRate }) => conversionRate)
  const known = rates.filter((rate) => rate !== null)
  // The range may also cut the first bucket, which does not rise.
  const done = shown.findLastIndex(({ complete }) => complete) + 1
  const line = sparkline(rates)
  // Dim the buckets that can still rise.
  const drawn = `${colorize(style, 'cyan', line.slice(0, done))}${colorize(style, 'dim', line.slice(done))}`
  const first = shown[0]?.at.slice(0, 16).replace('T', ' ') ?? ''
  const last = shown.at(-1)?.at.slice(0, 16).replace('T', ' ') ?? ''
  const about =
    known.length === 0
      ? 'no person entered'
      : `rate ${formatPercent(Math.min(...known))} to ${formatPercent(Math.max(...known))}${done < shown.length ? `; the last ${shown.length - done} can still rise` : ''}`
  return `${drawn}\n${wrapText(`${first} to ${last}, ${about}`, columns).join('\n')}\n`
}
