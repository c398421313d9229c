import { replaceComments } from '../comments.js'
import { placeOf } from '../page/locales.js'
import type { SiteFiles } from '../port.js'
import type { ShownFile } from './answer.js'
import { tokensOf } from './budget.js'
import { isShowable } from './survey.js'

/** A smaller file is shown whole. Characters. */
const SMALL = 9_000
/** At most this share of the room goes to one file. */
const SHARE = 0.3
/** A longer file gets at least this many tokens. */
const MIN_TOKENS = 1_500
/** A shorter run of lines costs less than the mark in its place. */
const MIN_LINES = 6

/** Files as a model is shown them, and those that it is not shown for lack of room. */
export interface Excerpts {
  files: ShownFile[]
  /** of these, the paths of which only a part is shown */
  inPart: Set<string>
  leftOut: { path: string; characters: number }[]
}

const markOf = (lines: number): string => `⋯ ${lines} lines are left out here ⋯`
const MARK = /^⋯ (\d+) lines are left out here ⋯$/
const REST = '⋯ the rest is left out ⋯'

/** The lines that are wanted, with a mark in place of each longer run of others. */
function linesOf(lines: readonly string[], isWanted: readonly boolean[]): string {
  const kept: string[] = []
  for (let from = 0; from < lines.length; ) {
    let to = from + 1
    while (to < lines.length && isWanted[to] === isWanted[from]) to++
    const run = lines.slice(from, to)
    kept.push(...(isWanted[from] !== true && run.length >= MIN_LINES ? [markOf(run.length)] : run))
    from = to
  }
  return kept.join('\n')
}

/** Lines of markup and texts, and what they name. */
const SHOWS = /<\/?[A-Za-z>]|["'`][^"'`]*\p{L}{2}[^"'`]* [^"'`]*["'`]|^[^=(){};]*\p{L}{2}[^=(){};]*$|\bt\(/u
const NAMES =
  /^\s{0,4}(?:import|export|const|let|function|async function|interface|type)\b|^\s*(?:const|let)\s+[[{]/
/** A line of an object that steers a look or a movement: `opacity: 0,`. */
const SETTING = /^\s*[\w'"-]+:\s*(?:-?[\d.]+|\[[-\d., ]*\]|true|false|(["'])[a-z\d#.%-]*\1),?\s*$/
const WITHOUT = /<style\b[\s\S]*?<\/style>|<svg\b[\s\S]*?<\/svg>/gi

/** Elements that visitors read first, press, follow or fill in. */
const ACTS =
  /<(?:h[1-3]|\w*Badge|button|a|form|input|select|\w*Button|\w*Link|v-btn)\b|\bon:?click|@click|\bon:?submit|@submit/i
/** Pictures, and the paths of drawings in code. */
const PICTURE = /(?<=;base64,)[\w+/=]{200,}|(?<=["'`])m\s*-?[\d.][\s\d.,a-z-]{400,}(?=["'`])/gi
/** A shorter drawing or style stays, because an edit may replace the element around it. Characters. */
const MIN_CONTENT = 1_000

function withoutContent(text: string, tag: 'svg' | 'style'): string {
  const parts = text.split(`</${tag}>`)
  const last = parts.pop() ?? ''
  const cut = parts.map((part) => {
    const begin = part.lastIndexOf(`<${tag}`)
    const inside = begin < 0 ? part.length : part.indexOf('>', begin) + 1
    return part.length - inside > MIN_CONTENT ? `${part.slice(0, inside)}⋯` : part
  })
  return [...cut, last].join(`</${tag}>`)
}

/** A longer comment with markup or statements in it is code that does not run. Characters. */
const MIN_COMMENT = 200
/** Of a longer comment only the beginning is shown. Characters. */
const MAX_COMMENT = { whole: 400, shown: 150 }
const COMMENTED_LINES = /(?:^[ \t]*\/\/.*[<>;{}()].*\n){4,}/gm

/** A file without what is long and shows nothing: pictures, styles, code in comments, and long ones. */
const lean = (text: string): string => {
  const pictured = text.replace(PICTURE, '⋯').replace(COMMENTED_LINES, '// ⋯\n')
  return replaceComments(withoutContent(withoutContent(pictured, 'svg'), 'style'), (comment) => {
    const isCode = comment.length > MIN_COMMENT && /<\w|[;{}]\s*$/m.test(comment)
    if (!isCode && comment.length <= MAX_COMMENT.whole) return comment
    const end = /(?:-->|\*\/)$/.exec(comment)?.[0] ?? ''
    const start = /^\s*(?:<!--|\/.)/.exec(comment)?.[0].length ?? 0
    return `${comment.slice(0, isCode ? start : MAX_COMMENT.shown)} ⋯ ${end}`
  })
}

/** A file, or of a long one what it shows, cut at the end of a line. */
function excerptOf(path: string, text: string, most: number): ShownFile {
  if (text.length <= (/\.(json|ya?ml)$/i.test(path) ? most : Math.min(most, SMALL))) return { path, text }
  const lines = text.split('\n')
  // A gap keeps its line breaks, so that lines count alike.
  const bare = text.replace(WITHOUT, (one) => one.replace(/[^\n]/g, '')).split('\n')
  const near = (form: RegExp, around: number): boolean[] => {
    const has = bare.map((line) => form.test(line) && !SETTING.test(line))
    return lines.map((_, at) => has.slice(Math.max(0, at - around), at + around + 1).includes(true))
  }
  const shows = near(SHOWS, 2)
  const sizeOf = (wanted: readonly boolean[]): number =>
    lines.reduce((sum, line, at) => sum + (wanted[at] ? line.length + 1 : 0), 0)
  let isWanted: boolean[] = []
  // Rather a little around each act of the whole file than much around the first ones.
  for (let around = 6; around >= 0; around -= 2) {
    const acts = near(ACTS, around)
    isWanted = lines.map((_, at) => acts[at] === true && shows[at] === true)
    if (sizeOf(isWanted) < most * 0.6) break
  }
  let size = sizeOf(isWanted)
  const add = (wanted: (line: string, at: number) => boolean, share: number): void => {
    for (const [at, line] of lines.entries()) {
      if (isWanted[at] === true || !wanted(line, at)) continue
      if (size + line.length + 1 > most * share) break
      size += line.length + 1
      isWanted[at] = true
    }
  }
  add((line) => NAMES.test(line), 0.8)
  add((_, at) => shows[at] === true, 0.9)
  return { path, text: cutAt(linesOf(lines, isWanted), most) }
}

/** A text up to `most` characters, cut at the end of a line. */
function cutAt(text: string, most: number): string {
  if (text.length <= most) return text
  const end = text.lastIndexOf('\n', most)
  return `${text.slice(0, end > 0 ? end : most)}\n${REST}`
}

/** Lines by which a part is longer at each end, so that it has an element at the seam whole. */
const MAX_SEAM = 12

/** The lines that are wanted, and at each end of a run those up to the next line that is indented less. */
function withSeams(lines: readonly string[], isWanted: readonly boolean[]): boolean[] {
  const wide = [...isWanted]
  const indentOf = (at: number): number => lines[at]?.search(/\S/) ?? -1
  const widen = (from: number, step: 1 | -1): void => {
    for (let by = 1; by <= MAX_SEAM && lines[from + step * by] !== undefined; by++) {
      wide[from + step * by] = true
      const indent = indentOf(from + step * by)
      if (indent >= 0 && indent < indentOf(from)) break
    }
  }
  for (const at of lines.keys())
    if (isWanted[at] === true) {
      if (isWanted[at - 1] === false) widen(at, -1)
      if (isWanted[at + 1] === false) widen(at, 1)
    }
  return wide
}

/**
 * A file whole if it has room in `most` characters. Otherwise the part that an excerpt of it has left out,
 * with the elements at the seams, or another excerpt if that cannot be told.
 * @param shown the excerpt
 */
export function restOf({ path, text: written }: ShownFile, shown: string, most: number): ShownFile {
  const text = lean(written)
  if (text.length <= most) return { path, text }
  const lines = text.split('\n')
  const isWanted = lines.map(() => true)
  let at = 0
  for (const line of shown.split('\n')) {
    if (line === REST) break
    const leftOut = MARK.exec(line)?.[1]
    if (leftOut === undefined && lines[at] !== line) return excerptOf(path, text, most)
    if (leftOut === undefined) isWanted[at++] = false
    else at += Number(leftOut)
  }
  return { path, text: cutAt(linesOf(lines, withSeams(lines, isWanted)), most) }
}

/** Lines around an edit: for one who corrects it, with what the file names, and for one who judges it. */
const AROUND = { repair: { lines: 20, whole: SMALL / 2 }, review: { lines: 7, whole: 800 } }

/** A text that occurs more often is shown at the first places only. */
const MAX_PLACES = 5

/** Of a file what stands around some of its texts. */
export function excerptAround(
  { path, text: written }: ShownFile,
  finds: readonly string[],
  by: keyof typeof AROUND,
): ShownFile {
  const { lines: around, whole } = AROUND[by]
  const text = lean(written)
  if (text.length <= whole) return { path, text }
  const near = finds.flatMap((find) => {
    const [longest = ''] = find.split('\n').sort((a, b) => b.trim().length - a.trim().length)
    const wanted = text.includes(find) ? find : longest.trim()
    if (wanted.trim() === '') return []
    let line = 0
    return text
      .split(wanted, MAX_PLACES + 1)
      .slice(0, -1)
      .map((before) => {
        line += before.split('\n').length - 1
        const place = { from: line - around, to: line + find.split('\n').length + around }
        line += wanted.split('\n').length - 1
        return place
      })
  })
  if (near.length === 0) return excerptOf(path, text, SMALL)
  const lines = text.split('\n')
  const isWanted = lines.map(
    (line, at) =>
      (by === 'repair' && NAMES.test(line)) || near.some(({ from, to }) => at >= from && at <= to),
  )
  return { path, text: linesOf(lines, isWanted) }
}

/** Parts of pages that are often the same on each. */
const REPEATED = /<(header|nav|footer)\b[\s\S]{200,}?<\/\1>/gi
/** A key of a text, or a section of them, in code and at the beginning of a line of texts. */
const USED_KEY = /\b(?:t|(?:use|get)Translations?)\(\s*["'`]([\w.:-]+)/g
const KEY = /^\s*["']?([\w-]+)["']?\s*:/

/**
 * The files of some paths that may be shown, without those that are known, up to `tokens` in total. The first
 * get a fair share of the room: what short files leave goes to long ones.
 */
export async function readExcerpts(
  repository: Pick<SiteFiles, 'read'>,
  paths: readonly string[],
  known: readonly string[],
  tokens: number,
): Promise<Excerpts> {
  const given: ShownFile[] = []
  const seen = new Map<string, string>()
  for (const path of new Set(paths)) {
    const text = known.includes(path) ? null : await repository.read(path)
    if (text === null || !isShowable(path, text)) continue
    const once = (part: string, tag: string): string => {
      const first = seen.get(part)
      seen.set(part, first ?? path)
      return first === undefined ? part : `⋯ the same <${tag}> as in ${first} ⋯`
    }
    given.push({ path, text: lean(/\.html?$/i.test(path) ? text.replace(REPEATED, once) : text) })
  }
  const keys = given.flatMap(({ text }) => [...text.matchAll(USED_KEY)].map(([, key = '']) => key))
  const used = new Set(keys.flatMap((key) => key.split(/[.:]/)))
  const excerpts: Excerpts = { files: [], inPart: new Set(), leftOut: [] }
  let left = tokens
  for (const { path, text } of given) {
    const lines = text.split('\n')
    const isOfKeys = used.size > 0 && text.length > SMALL && placeOf(path) !== null
    const isUsed = lines.map((line) => used.has(KEY.exec(line)?.[1] ?? ''))
    const file = { path, text: isOfKeys && isUsed.includes(true) ? linesOf(lines, isUsed) : text }
    const least = Math.min(costOf(file), MIN_TOKENS)
    if (least > left) excerpts.leftOut.push({ path, characters: text.length })
    else {
      left -= least
      excerpts.files.push(file)
    }
  }
  left = tokens
  const fair = [...excerpts.files].sort((a, b) => costOf(a) - costOf(b))
  for (const [at, file] of fair.entries()) {
    const room = Math.min(left / (fair.length - at), Math.max(SMALL / 3, tokens * SHARE))
    const { text } = excerptOf(file.path, file.text, Math.floor(room * 3))
    if (text.length < file.text.length) excerpts.inPart.add(file.path)
    file.text = text
    left -= costOf(file)
  }
  return excerpts
}

const costOf = ({ path, text }: ShownFile): number => tokensOf(path) + tokensOf(text) + 20
