import type { Evidence, Results, TargetResults, VariantResults } from '../../domain/statistics/index.js'
import { escapeControls } from '../output.js'
import { drawInterval, intervalRange } from '../render/interval.js'
import { type Column, renderTable } from '../render/table.js'
import {
  type Color,
  colorize,
  formatChange,
  formatCount,
  formatPercent,
  formatProbability,
  formatTime,
  type TerminalStyle,
  wrapText,
} from '../render/terminal-style.js'

const WIDE = 100
const INTERVAL_COLUMNS = 25
/** Below this a p-value is worth a colour. */
const SIGNIFICANT = 0.05
const SUSPICIOUS_SHARE = 0.01

/** Results for people: what state they are in, then a table a target with the interval of each variant drawn, then what to be careful about. */
export function renderResults(style: TerminalStyle, results: Results): string {
  const { state, reason, exposed, asOf } = results
  const columns = style.columns ?? WIDE
  const head = [
    `${formatCount(exposed)} persons exposed, as of ${formatTime(style, asOf)}`,
    ...(reason === null || reason === undefined ? [] : [`${state}: ${reason}`]),
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

function renderTarget(style: TerminalStyle, target: TargetResults): string {
  const { eventName, direction, primary, variants } = target
  const reach = intervalRange(variants.map(({ vsControl }) => vsControl?.liftCi ?? null))
  const better = (comparison: Evidence | null): Color | undefined => {
    const { adjustedPValue = null, lift = null } = comparison ?? {}
    if (adjustedPValue === null || lift === null || adjustedPValue >= SIGNIFICANT) return undefined
    return lift > 0 === (direction === 'increase') ? 'green' : 'red'
  }
  const means = variants.some(({ mean }) => mean !== null && mean !== undefined)
  const value: Column<VariantResults> = means
    ? {
        title: 'mean',
        text: ({ mean }) => (mean == null ? '-' : String(Number(mean.toPrecision(6)))),
        alignRight: true,
      }
    : { title: 'rate', text: ({ rate }) => formatPercent(rate, 2), alignRight: true }
  const color = ({ vsControl }: VariantResults): Color | undefined => better(vsControl)
  const table = renderTable<VariantResults>(
    style,
    [
      { title: 'variant', text: ({ key }) => key, minWidth: 8 },
      { title: 'exposed', text: (each) => formatCount(each.exposed), alignRight: true, dropPriority: 4 },
      { title: 'converted', text: (each) => formatCount(each.converted), alignRight: true, dropPriority: 5 },
      value,
      {
        title: 'lift',
        text: ({ vsControl }) => formatChange(vsControl?.lift),
        alignRight: true,
        color: color,
      },
      {
        title: '95% interval',
        text: ({ vsControl }) =>
          vsControl === null ? '' : drawInterval(vsControl.liftCi, vsControl.lift, reach, INTERVAL_COLUMNS),
        color: color,
        dropPriority: 6,
      },
      {
        title: 'from',
        text: ({ vsControl }) => formatChange(vsControl?.liftCi?.[0]),
        alignRight: true,
        dropPriority: 1,
      },
      {
        title: 'to',
        text: ({ vsControl }) => formatChange(vsControl?.liftCi?.[1]),
        alignRight: true,
        dropPriority: 1,
      },
      {
        title: 'chance',
        text: ({ vsControl }) => formatProbability(vsControl?.chanceToWin),
        alignRight: true,
        dropPriority: 3,
      },
      {
        title: 'p',
        text: ({ vsControl }) => pText(vsControl?.adjustedPValue),
        alignRight: true,
        dropPriority: 7,
      },
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

/** What makes figures less trustworthy than they look. */
function warningsOf({ srm, multipleVariants, dataQuality, exposed }: Results): string[] {
  return [
    ...(srm.ok
      ? []
      : [
          `The split is broken: persons are not spread over the variants as the traffic splits say (p ${pText(srm.pValue)}). Do not trust these figures before the reason is found.`,
        ]),
    ...(multipleVariants > 0 && multipleVariants >= exposed * SUSPICIOUS_SHARE
      ? [`${formatCount(multipleVariants)} persons saw several variants and are left out.`]
      : []),
    ...(dataQuality === undefined
      ? []
      : [
          ...(dataQuality.unknownVariants > 0
            ? [`${formatCount(dataQuality.unknownVariants)} exposures named a variant that does not exist.`]
            : []),
          ...(dataQuality.beforeStart > 0
            ? [`${formatCount(dataQuality.beforeStart)} exposures came before the start.`]
            : []),
          ...(dataQuality.clampedShare > SUSPICIOUS_SHARE
            ? [`${formatPercent(dataQuality.clampedShare)} of the exposures had a time that could not be.`]
            : []),
          ...(dataQuality.lagSeconds > 60
            ? [`Events are counted ${formatCount(dataQuality.lagSeconds)} s after they came in.`]
            : []),
        ]),
  ]
}
