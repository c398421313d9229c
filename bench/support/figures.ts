import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COST_HEADER, type Cost, costCells } from './cost/cost.js'
import { percentile } from './percentile.js'
import { table } from './table.js'

/**
 * One measured value. `ratio` compares it with the value that `ratioTo` names, from the same run: ratios are
 * comparable between machines, values are not.
 */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly ratioTo?: string
  readonly ratio?: number
  /** The cost of the events it was measured with, if counted. */
  readonly cost?: Cost
}

export interface CaseResult {
  readonly case: string
  readonly figures: readonly Figure[]
}

/** The table of a run, beside an earlier one if given. */
export function showFigures(
  results: readonly CaseResult[],
  before: readonly CaseResult[] | undefined,
): string {
  const costs = results.some(({ figures }) => figures.some(({ cost }) => cost !== undefined))
  const old = new Map(
    (before ?? []).flatMap(({ case: name, figures }) => figures.map((f) => [`${name} ${f.name}`, f])),
  )
  const rows = results.flatMap(({ case: name, figures }) =>
    figures.map((figure) => {
      const was = old.get(`${name} ${figure.name}`)
      return [
        `${name}: ${figure.name}`,
        number(figure.value),
        figure.unit,
        figure.ratio === undefined ? '' : `${figure.ratio.toFixed(2)} of ${figure.ratioTo}`,
        ...(costs ? costCells(figure.cost) : []),
        ...(before === undefined
          ? []
          : [
              was === undefined ? '' : number(was.value),
              was?.ratio === undefined ? '' : was.ratio.toFixed(2),
              was === undefined ? '' : `${((figure.value / was.value - 1) * 100).toFixed(0)} %`,
            ]),
      ]
    }),
  )
  return table(
    [
      'figure',
      'value',
      'unit',
      'ratio',
      ...(costs ? COST_HEADER : []),
      ...(before === undefined ? [] : ['before', 'ratio before', 'change']),
    ],
    rows,
  )
}

/** The figures of each case that have a yardstick of the same run. */
export function withYardstick(results: readonly CaseResult[]): CaseResult[] {
  return results.map((result) => ({
    ...result,
    figures: result.figures.filter(({ ratio }) => ratio !== undefined),
  }))
}

/** Writes a run as JSON and returns the path. */
export function keepFigures(folder: string, at: Date, results: readonly CaseResult[]): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${fileTime(at)}.json`)
  writeFileSync(
    path,
    `${JSON.stringify({ at: at.toISOString(), node: process.version, results }, null, 2)}\n`,
  )
  return path
}

/** A time as part of a file name. */
export function fileTime(at: Date): string {
  return at.toISOString().replaceAll(/[:.]/g, '-')
}

export function readFigures(path: string): readonly CaseResult[] {
  return (JSON.parse(readFileSync(path, 'utf8')) as { results: CaseResult[] }).results
}

function number(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en')
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** Median milliseconds of nine calls, after one warm-up. */
export async function timed(ask: () => Promise<unknown>): Promise<number> {
  await ask()
  const times: number[] = []
  for (let i = 0; i < 9; i++) {
    const started = performance.now()
    await ask()
    times.push(performance.now() - started)
  }
  return percentile(times, 0.5)
}
