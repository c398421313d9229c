import type { Region } from './port.js'
import { onlyPlaceOf, type Splice } from './text.js'

/** The text that replaces a region. */
export const settled = (region: Region, shipped: string | null): string =>
  shipped === null
    ? region.before
    : ((Object.hasOwn(region.variants, shipped) ? region.variants[shipped] : undefined) ?? region.plain)

/** The replacements of the regions that are found, and the regions that are not. */
export function locate(
  text: string,
  regions: readonly Region[],
  shipped: string | null,
): { parts: Splice[]; missing: Region[] } {
  const parts: Splice[] = []
  const missing: Region[] = []
  for (const region of regions) {
    const wanted = settled(region, shipped)
    if (wanted === region.written) continue
    const place = findRegion(text, region)
    const free = place !== null && parts.every((part) => part.end <= place.start || part.start >= place.end)
    if (place === null || !free) missing.push(region)
    else parts.push({ ...place, text: wanted })
  }
  return { parts, missing }
}

/**
 * The range of a region in today's text: as written, or as a formatter left it. `null` unless there is
 * exactly one.
 */
function findRegion(text: string, region: Region): { start: number; end: number } | null {
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
  if (keyed) return byTokens(text, ['', region.written, ''])
  return byTokens(text, [left, region.written, right])
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

function byTokens(
  text: string,
  [left, own, right]: [string, string, string],
): { start: number; end: number } | null {
  const today = tokensOf(text)
  const before = tokensOf(left).kept
  const wanted = tokensOf(own).kept
  if (wanted === '') return null
  const place = onlyPlaceOf(today.kept, before + wanted + tokensOf(right).kept)
  if (typeof place !== 'number') return null
  const first = today.at[place + before.length]
  const last = today.at[place + before.length + wanted.length - 1]
  if (first === undefined || last === undefined) return null
  const head = /^[\s'"`;,()]*/.exec(own)?.[0] ?? ''
  const tail = /[\s'"`;,()]*$/.exec(own)?.[0] ?? ''
  return {
    start: reach(text, first, [...head].reverse(), -1),
    end: reach(text, last + 1, [...tail], 1),
  }
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
