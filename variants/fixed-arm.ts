import { diffIndices } from 'node-diff3'
import { MARK } from './html/markup.js'
import type { Region } from './port.js'
import { type Splice, splice } from './text.js'

interface Token {
  text: string
  start: number
  end: number
}

/** An arm in the written tokens: `from` to `to`, and the arm's own token for each written one. */
interface Arm {
  text: string
  from: number
  to: number
  own: Map<number, number>
}

const MAX_TOKENS = 2_000
/** Tokens by which a changed region may be longer or shorter. */
const MAX_DRIFT = 40
/** Words, numbers and marks that are spelled alike in text, attributes and strings. */
const PLAIN = /^[\p{L}\p{N}.,:;!?%€…’–-]+$/u
const QUOTE = /^['"`]$/

const tokensOf = (text: string): Token[] =>
  [...text.matchAll(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu)].map(([word], index, all) => {
    const start = all[index]?.index ?? 0
    return { text: word, start, end: start + word.length }
  })

/**
 * The replacement of a region in whose arms people changed some words: the arm that stays keeps their words.
 * Null if anything else was changed, or if it is not certain where an arm is.
 *
 * @param wanted the text that replaces the region as it was written
 */
export function findFixedRegion(text: string, region: Region, wanted: string): Splice | null {
  const written = tokensOf(region.written)
  if (written.length > MAX_TOKENS || (wanted === region.before && region.before !== region.plain)) return null
  const arms = armsIn(region, written)
  const first = arms?.[0]
  if (arms === null || first === undefined) return null
  const today = tokensOf(text)
  const range = rangeOf(written, first.from, today)
  if (range === null) return null
  const found = today.slice(range.start, range.end)
  const parts: Splice[] = []
  for (const { buffer1, buffer2 } of diffIndices(
    written.map((token) => token.text),
    found.map((token) => token.text),
  )) {
    const [at, gone] = buffer1
    const [to, come] = buffer2
    const words = [...written.slice(at, at + gone), ...found.slice(to, to + come)]
    const arm = arms.find((one) => isInside(one, written, at, gone))
    if (arm === undefined || !words.every((token) => PLAIN.test(token.text))) return null
    if (arm.text !== wanted) continue
    const part = fixOf(arm, { at, gone, to, come }, found, text)
    if (part === null) return null
    parts.push(part)
  }
  const [start, end] = [found[0], found.at(-1)]
  return start === undefined || end === undefined
    ? null
    : { start: start.start, end: end.end, text: splice(wanted, parts) }
}

/** The arms in their order, the control last. Null unless there is exactly one way to find them. */
function armsIn({ written, variants, plain }: Region, tokens: readonly Token[]): Arm[] | null {
  const marks = [...written.matchAll(new RegExp(`\\s${MARK}(?:\\.[\\w.-]+)?="[^"]*"`, 'g'))]
  const isMark = ({ start }: Token): boolean =>
    marks.some((mark) => start > mark.index && start < mark.index + mark[0].length)
  const isSkipped = tokens.map(isMark)
  const ways: Arm[][] = []
  const find = (texts: readonly string[], from: number, before: readonly Arm[]): void => {
    const [text, ...others] = texts
    if (text === undefined) ways.push([...before])
    else if (tokensOf(text).length === 0) find(others, from, before)
    else
      for (let at = from; at < tokens.length && ways.length < 2; at++) {
        const arm = isSkipped[at] ? null : armAt(text, tokens, isSkipped, at)
        if (arm !== null) find(others, arm.to, [...before, arm])
      }
  }
  find([...Object.values(variants), plain], 0, [])
  return ways.length === 1 ? (ways[0] ?? null) : null
}

function armAt(
  text: string,
  tokens: readonly Token[],
  isSkipped: readonly boolean[],
  from: number,
): Arm | null {
  const own = new Map<number, number>()
  let at = from
  for (const [index, token] of tokensOf(text).entries()) {
    while (isSkipped[at]) at += 1
    if (tokens[at]?.text !== token.text) return null
    own.set(at, index)
    at += 1
  }
  return { text, from, to: at, own }
}

/** Whether a change of some tokens, or an insertion before one, is inside an arm. */
function isInside({ from, to, own }: Arm, written: readonly Token[], at: number, gone: number): boolean {
  if (gone > 0) return Array.from({ length: gone }, (_, index) => own.has(at + index)).every(Boolean)
  if (own.has(at - 1) && own.has(at)) return true
  const isQuote = (index: number): boolean => QUOTE.test(written[index]?.text ?? '')
  return (at === to && isQuote(at)) || (at === from && isQuote(at - 1))
}

/** The region's range now: it begins as written, and ends where most of its end is as written. */
function rangeOf(
  written: readonly Token[],
  head: number,
  today: readonly Token[],
): { start: number; end: number } | null {
  const isAt = (place: number): boolean =>
    written.slice(0, head).every((token, index) => today[place + index]?.text === token.text)
  const starts = head < 3 ? [] : [...today.keys()].filter((place) => isAt(place))
  const [start] = starts
  if (start === undefined || starts.length > 1) return null
  let prefix = head
  while (prefix < written.length && today[start + prefix]?.text === written[prefix]?.text) prefix += 1
  let best = { end: 0, same: 0, isOnly: false }
  for (let drift = -MAX_DRIFT; drift <= MAX_DRIFT; drift++) {
    const end = start + written.length + drift
    let same = 0
    while (
      same < written.length - prefix &&
      end - 1 - same >= start + prefix &&
      today[end - 1 - same]?.text === written.at(-1 - same)?.text
    )
      same += 1
    if (same > best.same) best = { end, same, isOnly: true }
    else if (same === best.same) best = { ...best, isOnly: false }
  }
  return best.isOnly ? { start, end: best.end } : null
}

interface Fix {
  at: number
  gone: number
  to: number
  come: number
}

/** The same change in the arm's own text. Null if it is the arm's first word that is gone. */
function fixOf(arm: Arm, { at, gone, to, come }: Fix, found: readonly Token[], text: string): Splice | null {
  const tokens = tokensOf(arm.text)
  const ownAt = (index: number): Token | undefined => tokens[arm.own.get(index) ?? -1]
  const [left, right] = [ownAt(at - 1), ownAt(at)]
  const [first, last] = [found[to], found[to + come - 1]]
  if (gone > 0) {
    const end = ownAt(at + gone - 1)
    if (right === undefined || end === undefined) return null
    if (first !== undefined && last !== undefined && come > 0)
      return { start: right.start, end: end.end, text: text.slice(first.start, last.end) }
    return left === undefined ? null : { start: left.end, end: end.end, text: '' }
  }
  const [before, after] = [found[to - 1], found[to + come]]
  if (first === undefined || last === undefined) return null
  if (left !== undefined && before !== undefined)
    return { start: left.end, end: left.end, text: text.slice(before.end, last.end) }
  return right === undefined || after === undefined
    ? null
    : { start: right.start, end: right.start, text: text.slice(first.start, after.start) }
}
