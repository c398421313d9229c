import { csvLine } from '../text/csv.js'
import type { Results } from './results-types.js'

/** The results as the API returns them too. */
interface CsvResults extends Pick<Results, 'asOf'> {
  readonly targets: readonly {
    readonly eventName: string
    readonly primary: boolean
    readonly variants: readonly (Pick<
      Results['targets'][number]['variants'][number],
      'key' | 'exposed' | 'converted' | 'rate' | 'mean' | 'standardDeviation'
    > & {
      readonly vsControl: {
        readonly lift: number | null
        readonly liftCi: readonly number[] | null
        readonly pValue: number | null
        readonly adjustedPValue: number | null
        readonly chanceToWin: number | null
      } | null
    })[]
  }[]
}

const COLUMNS = [
  ...['asOf', 'target', 'primary', 'variant', 'exposed', 'converted', 'rate', 'mean', 'standardDeviation'],
  ...['lift', 'liftLow', 'liftHigh', 'pValue', 'adjustedPValue', 'chanceToWin'],
]

/** A row for each target and variant, with a header. Absent values are empty; lifts are of the control. */
export function resultsCsv(results: CsvResults): string {
  const rows = results.targets.flatMap(({ eventName, primary, variants }) =>
    variants.map(({ vsControl, ...variant }) => [
      ...[results.asOf, eventName, primary, variant.key, variant.exposed, variant.converted],
      ...[variant.rate, variant.mean, variant.standardDeviation],
      ...[vsControl?.lift, vsControl?.liftCi?.[0], vsControl?.liftCi?.[1]],
      ...[vsControl?.pValue, vsControl?.adjustedPValue, vsControl?.chanceToWin],
    ]),
  )
  return [COLUMNS, ...rows].map((row) => csvLine(row.map((value) => String(value ?? '')))).join('')
}
