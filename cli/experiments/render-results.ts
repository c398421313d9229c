import type { Evidence, Results, TargetResults, VariantResults } from '../../domain/statistics/index.js'
import { printable } from '../output.js'
import { drawInterval, reachOf } from '../render/interval.js'
import { chance, type Look, moment, type Paint, paint, percent, signed, whole, wrap } from '../render/look.js'
import { type Column, renderTable } from '../render/table.js'

const WIDE = 100
const INTERVAL_COLUMNS = 25
/** Below this a p-value is worth a colour. */
const SIGNIFICANT = 0.05
const SUSPICIOUS_SHARE = 0.01

/** Results for people: what state they are in, then a table a target with the interval of each variant drawn, then what to be careful about. */
export function renderResults(look: Look, results: Results): string {
  const { state, reason, exposed, asOf } = results
  const columns = look.columns ?? WIDE
  const head = [
    `${whole(exposed)} persons exposed, as of ${moment(look, asOf)}`,
    ...(reason === null || reason === undefined ? [] : [`${state}: ${reason}`]),
  ].flatMap((line) => wrap(printable(line), columns))
  const tables = results.targets.map((target) => renderTarget(look, target))
  const warnings = warningsOf(results).flatMap((line) =>
    wrap(`! ${line}`, columns).map((each) => paint(look, 'yellow', each)),
  )
  return [
    `${head.join('\n')}\n`,
    ...tables,
    ...(warnings.length === 0 ? [] : [`${warnings.join('\n')}\n`]),
  ].join('\n')
}

function renderTarget(look: Look, target: TargetResults): string {
  const { eventName, direction, primary, variants } = target
  const reach = reachOf(variants.map(({ vsControl }) => vsControl?.liftCi ?? null))
  const better = (comparison: Evidence | null): Paint | undefined => {
    const { adjustedPValue = null, lift = null } = comparison ?? {}
    if (adjustedPValue === null || lift === null || adjustedPValue >= SIGNIFICANT) return undefined
    return lift > 0 === (direction === 'increase') ? 'green' : 'red'
  }
  const means = variants.some(({ mean }) => mean !== null && mean !== undefined)
  const value: Column<VariantResults> = means
    ? {
        title: 'mean',
        text: ({ mean }) => (mean == null ? '-' : String(Number(mean.toPrecision(6)))),
        right: true,
      }
    : { title: 'rate', text: ({ rate }) => percent(rate, 2), right: true }
  const colour = ({ vsControl }: VariantResults): Paint | undefined => better(vsControl)
  const table = renderTable<VariantResults>(
    look,
    [
      { title: 'variant', text: ({ key }) => key, least: 8 },
      { title: 'exposed', text: (each) => whole(each.exposed), right: true, drop: 4 },
      { title: 'converted', text: (each) => whole(each.converted), right: true, drop: 5 },
      value,
      { title: 'lift', text: ({ vsControl }) => signed(vsControl?.lift), right: true, paint: colour },
      {
        title: '95% interval',
        text: ({ vsControl }) =>
          vsControl === null ? '' : drawInterval(vsControl.liftCi, vsControl.lift, reach, INTERVAL_COLUMNS),
        paint: colour,
        drop: 6,
      },
      { title: 'from', text: ({ vsControl }) => signed(vsControl?.liftCi?.[0]), right: true, drop: 1 },
      { title: 'to', text: ({ vsControl }) => signed(vsControl?.liftCi?.[1]), right: true, drop: 1 },
      { title: 'chance', text: ({ vsControl }) => chance(vsControl?.chanceToWin), right: true, drop: 3 },
      {
        title: 'p',
        text: ({ vsControl }) => pText(vsControl?.adjustedPValue),
        right: true,
        drop: 7,
      },
    ],
    variants,
  )
  const title = `${printable(eventName)} (${primary ? 'primary, ' : ''}${direction} is better)`
  return `${paint(look, 'bold', title)}\n${table}`
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
      ? [`${whole(multipleVariants)} persons saw several variants and are left out.`]
      : []),
    ...(dataQuality === undefined
      ? []
      : [
          ...(dataQuality.unknownVariants > 0
            ? [`${whole(dataQuality.unknownVariants)} exposures named a variant that does not exist.`]
            : []),
          ...(dataQuality.beforeStart > 0
            ? [`${whole(dataQuality.beforeStart)} exposures came before the start.`]
            : []),
          ...(dataQuality.clampedShare > SUSPICIOUS_SHARE
            ? [`${percent(dataQuality.clampedShare)} of the exposures had a time that could not be.`]
            : []),
          ...(dataQuality.lagSeconds > 60
            ? [`Events are counted ${whole(dataQuality.lagSeconds)} s after they came in.`]
            : []),
        ]),
  ]
}
