import {
  type Evidence,
  type Results,
  resultsCsv,
  type TargetResults,
  type VariantResults,
} from '../../domain/statistics/index.js'
import { formatChange, formatCount, formatPercent, formatProbability } from '../../domain/text/format.js'
import { statusLabel } from '../../domain/text/labels.js'
import { usageError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { escapeControls, printJsonText } from '../output.js'
import { drawInterval, intervalRange } from '../render/charts.js'
import { figures, renderTable } from '../render/table.js'
import { type Color, colorize, formatTime, type TerminalStyle, wrapText } from '../render/terminal-style.js'

interface Segment {
  readonly value: unknown
  readonly results: Results
}

interface ResultsOptions extends CommonOptions {
  readonly breakdown?: string
  readonly limit?: number
  readonly format?: 'csv'
}

const DEFAULT_COLUMNS = 100
const INTERVAL_COLUMNS = 25
const SIGNIFICANCE_LEVEL = 0.05
/** A larger share of doubtful exposures is worth a warning. */
const WARNING_SHARE = 0.01
const WARNING_LAG_SECONDS = 60

export async function showResults(context: Context, id: string, options: ResultsOptions): Promise<void> {
  const { json, breakdown, limit, format } = options
  if (format !== undefined && breakdown !== undefined) throw usageError('--format is without --breakdown')
  const { out, err } = context.terminal
  const api = await context.api()
  const style = context.style()
  if (breakdown === undefined) {
    if (limit !== undefined) throw usageError('--limit needs --breakdown')
    const { text, body } = await api.call('getExperiment', { path: { id } })
    const results = body.results as Results | null
    if (json) return printJsonText(context.terminal, text)
    if (results !== null) return out(format === 'csv' ? resultsCsv(results) : renderResults(style, results))
    return out(`${body.key} is ${statusLabel(body.status)} and has no results yet.\n`)
  }
  const { text, body } = await api.get<{ readonly data: readonly Segment[] }>(
    '/experiments/{id}/results',
    { breakdown, limit },
    { id },
  )
  if (json) return printJsonText(context.terminal, text)
  if (body.data.length === 0) err('No person was exposed yet.\n')
  for (const { value, results } of body.data) {
    const name = value === null ? `without ${breakdown}` : `${breakdown} = ${JSON.stringify(value)}`
    out(`${colorize(style, 'cyan', escapeControls(name))}\n${renderResults(style, results)}\n`)
  }
  err('A breakdown is exploratory: the more values it has, the more of them differ by chance.\n')
}

/** Results for people: their state, a table with intervals for each target, then warnings. */
export function renderResults(style: TerminalStyle, results: Results): string {
  const { state, reason, exposed, asOf } = results
  const columns = style.columns ?? DEFAULT_COLUMNS
  const head = [
    ...(results.verdict === undefined ? [] : [results.verdict.text]),
    `${formatCount(exposed)} persons exposed, as of ${formatTime(style, asOf)}`,
    ...(reason === null || reason === undefined ? [] : [`${STATES[state]}: ${reason}`]),
  ].flatMap((line) => wrapText(escapeControls(line), columns))
  const tables = results.targets.map((target) => renderTarget(style, target))
  const warnings = warningsOf(results).flatMap((line) =>
    wrapText(`! ${line}`, columns).map((each) => colorize(style, 'yellow', each)),
  )
  return [
    `${head.join('\n')}\n`,
    ...tables,
    ...(warnings.length === 0 ? [] : [`${warnings.join('\n')}\n`]),
  ].join('\n')
}

const STATES = { no_data: 'no data', collecting: 'collecting', ready: 'ready' } as const

function renderTarget(style: TerminalStyle, target: TargetResults): string {
  const { eventName, direction, primary, variants } = target
  const reach = intervalRange(variants.map(({ vsControl }) => vsControl?.liftCi ?? null))
  const better = (comparison: Evidence | null): Color | undefined => {
    const { adjustedPValue = null, lift = null } = comparison ?? {}
    if (adjustedPValue === null || lift === null || adjustedPValue >= SIGNIFICANCE_LEVEL) return undefined
    return lift > 0 === (direction === 'increase') ? 'green' : 'red'
  }
  const means = variants.some(({ mean }) => mean !== null && mean !== undefined)
  const color = ({ vsControl }: VariantResults): Color | undefined => better(vsControl)
  const table = renderTable<VariantResults>(
    style,
    [
      { title: 'variant', text: ({ key }) => key, minWidth: 8 },
      figures('exposed', ({ exposed }) => formatCount(exposed), 4),
      figures('converted', ({ converted }) => formatCount(converted), 5),
      means
        ? figures('mean', ({ mean }) => (mean == null ? '-' : String(Number(mean.toPrecision(6)))))
        : figures('rate', ({ rate }) => formatPercent(rate)),
      figures('lift', ({ vsControl }) => formatChange(vsControl?.lift), undefined, { color }),
      {
        title: '95% interval',
        text: ({ vsControl }) =>
          vsControl === null ? '' : drawInterval(vsControl.liftCi, vsControl.lift, reach, INTERVAL_COLUMNS),
        color,
        dropPriority: 6,
      },
      figures('from', ({ vsControl }) => formatChange(vsControl?.liftCi?.[0]), 1),
      figures('to', ({ vsControl }) => formatChange(vsControl?.liftCi?.[1]), 1),
      figures('chance', ({ vsControl }) => formatProbability(vsControl?.chanceToWin), 3),
      figures('p', ({ vsControl }) => pText(vsControl?.adjustedPValue), 7),
    ],
    variants,
  )
  const title = `${escapeControls(eventName)} (${primary ? 'primary, ' : ''}${direction} is better)`
  return `${colorize(style, 'bold', title)}\n${table}`
}

function pText(p: number | null | undefined): string {
  if (p === null || p === undefined) return '-'
  return p < 0.0001 ? '<0.0001' : p.toFixed(4)
}

function warningsOf({ srm, multipleVariants, dataQuality, exposed }: Results): string[] {
  const zeroWeight = dataQuality?.zeroWeight ?? 0
  const warnings: (string | false)[] = [
    zeroWeight > 0 &&
      `The split is broken: ${formatCount(zeroWeight)} persons saw a variant with a traffic split of 0. Find out how the site assigns variants before you trust these figures.`,
    !srm.ok &&
      zeroWeight === 0 &&
      `The split is broken: persons are not spread over the variants as the traffic splits require (p ${pText(srm.pValue)}). Do not trust these figures before you know the reason.`,
    multipleVariants > 0 &&
      multipleVariants >= exposed * WARNING_SHARE &&
      `${formatCount(multipleVariants)} persons saw several variants and are left out.`,
  ]
  if (dataQuality !== undefined) {
    const { unknownVariants, beforeStart, clampedShare, lagSeconds } = dataQuality
    warnings.push(
      unknownVariants > 0 && `${formatCount(unknownVariants)} exposures named a variant that does not exist.`,
      beforeStart > 0 && `${formatCount(beforeStart)} exposures came before the start.`,
      clampedShare > WARNING_SHARE &&
        `${formatPercent(clampedShare)} of the exposures had an impossible time, which was corrected.`,
      lagSeconds > WARNING_LAG_SECONDS &&
        `Events are counted ${formatCount(lagSeconds)} s after they were received.`,
    )
  }
  return warnings.filter((warning) => warning !== false)
}
