import type { CleanUpRequest, Region } from './port.js'
import { onlyPlaceOf, type Splice } from './text.js'
import { inTodaysLayout } from './todays-layout.js'

/** The text that replaces a region. */
export const settled = (region: Region, shipped: string | null): string =>
  shipped === null
    ? region.before
    : ((Object.hasOwn(region.variants, shipped) ? region.variants[shipped] : undefined) ?? region.plain)

/** Whether a region holds the experiment's key, so that every copy of it belongs to the experiment. */
export const holdsKey = ({ written }: Region, experiment: string): boolean =>
  new RegExp(`['"\`]${experiment}['"\`:]`).test(written)

/** Whether a text has code or markup of an experiment. */
export const showsExperiment = (text: string, experiment: string): boolean =>
  new RegExp(
    `\\(\\s*(['"\`])${experiment}\\1\\s*,\\s*\\{|<\\w+\\s+experiment=["']${experiment}["']|\\bdata-svc=["']${experiment}[:"']`,
  ).test(text)

/**
 * The replacements of the regions that are found, and the regions that are not. People may have copied code
 * with the experiment's key: every copy is replaced.
 */
export function locate(
  text: string,
  regions: readonly Region[],
  { shipped, base, experiment }: Pick<CleanUpRequest, 'shipped' | 'base' | 'experiment'>,
): { parts: Splice[]; missing: Region[] } {
  const parts: Splice[] = []
  const wanted = regions.filter((region) => settled(region, shipped) !== region.written)
  const isFree = ({ start, end }: Range): boolean =>
    parts.every((part) => part.end <= start || part.start >= end)
  const take = (region: Region, place: Range): void => {
    const layout = { text, start: place.start, base }
    parts.push({ ...place, text: inTodaysLayout(settled(region, shipped), region, layout) })
  }
  const missing = wanted.filter((region) => {
    const place = findRegion(text, region)
    const isFound = place !== null && isFree(place)
    if (isFound) take(region, place)
    return !isFound
  })
  const copied = new Set<Region>()
  for (const region of wanted.filter((one) => holdsKey(one, experiment)))
    for (const place of copiesOf(text, region)) {
      if (!isFree(place)) continue
      take(region, place)
      copied.add(region)
    }
  return { parts, missing: missing.filter((region) => !copied.has(region)) }
}

interface Range {
  start: number
  end: number
}

/** Every place of a region, as written or as a formatter left it. */
function copiesOf(text: string, { written }: Region): Range[] {
  const places: Range[] = []
  for (let at = text.indexOf(written); at >= 0; at = text.indexOf(written, at + written.length))
    places.push({ start: at, end: at + written.length })
  return [...places, ...placesByTokens(text, ['', written, ''])]
}

/**
 * The range of a region in today's text: as written, or as a formatter left it. `null` unless there is
 * exactly one.
 */
function findRegion(text: string, region: Region): Range | null {
  const [left, right] = region.around
  const whole = left + region.written + right
  const exact = onlyPlaceOf(text, whole)
  if (typeof exact === 'number')
    return { start: exact + left.length, end: exact + left.length + region.written.length }
  // A constant whose uses choose is in the file as it was before, without the key.
  const keyed = Object.keys(region.variants).length > 0 && region.written !== region.before
  // The experiment's key makes a region unique without its context. Of a plain text's context, one side may
  // have changed.
  const sides: [string, string][] = keyed
    ? [['', '']]
    : [
        [left, ''],
        ['', right],
      ]
  for (const [before, after] of sides) {
    if (!keyed && (before + after).trim() === '') continue
    const place = onlyPlaceOf(text, before + region.written + after)
    if (typeof place === 'number')
      return { start: place + before.length, end: place + before.length + region.written.length }
  }
  const places = placesByTokens(text, keyed ? ['', region.written, ''] : [left, region.written, right])
  return places.length === 1 ? (places[0] ?? null) : null
}

const SKIPPED = /[\s'"`;,()]/

interface Tokens {
  kept: string
  /** the offset of each remaining character */
  at: number[]
}

function tokensOf(text: string): Tokens {
  const kept: string[] = []
  const at: number[] = []
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === undefined || SKIPPED.test(character)) continue
    kept.push(character)
    at.push(i)
  }
  return { kept: kept.join(''), at }
}

function placesByTokens(text: string, [left, own, right]: [string, string, string]): Range[] {
  const today = tokensOf(text)
  const before = tokensOf(left).kept
  const wanted = tokensOf(own).kept
  const whole = before + wanted + tokensOf(right).kept
  const head = /^[\s'"`;,()]*/.exec(own)?.[0] ?? ''
  const tail = /[\s'"`;,()]*$/.exec(own)?.[0] ?? ''
  const places: Range[] = []
  for (
    let at = wanted === '' ? -1 : today.kept.indexOf(whole);
    at >= 0;
    at = today.kept.indexOf(whole, at + 1)
  ) {
    const first = today.at[at + before.length]
    const last = today.at[at + before.length + wanted.length - 1]
    if (first === undefined || last === undefined) continue
    places.push({
      start: reach(text, first, [...head].reverse(), -1),
      end: reach(text, last + 1, [...tail], 1),
    })
  }
  return places
}

/** Extends the range over the region's own quotes and brackets, in any spacing and quote style. */
function reach(text: string, from: number, marks: readonly string[], step: 1 | -1): number {
  let edge = from
  for (const mark of marks) {
    if (/\s/.test(mark)) continue
    let next = edge
    const peek = (): string => text[step === 1 ? next : next - 1] ?? ''
    while (/\s/.test(peek()) && peek() !== '') next += step
    if (classOf(peek()) !== classOf(mark)) continue
    edge = next + step
  }
  return edge
}

const classOf = (mark: string): string => (/['"`]/.test(mark) ? 'quote' : mark)
