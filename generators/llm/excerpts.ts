import { replaceComments } from '../comments.js'
import { placeOf } from '../page/locales.js'
import type { ShownFile, SiteFiles } from '../port.js'
import { tokensOf } from './budget.js'
import { isShowable } from './survey.js'

/** A smaller file is shown whole. Characters. */
const SMALL = 9_000
/** At most this share of the room goes to one file if not all files fit into it. */
const SHARE = 0.5
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

/** Lines of markup and texts. */
const SHOWS = /<\/?[A-Za-z>]|["'`][^"'`]*\p{L}{2}[^"'`]* [^"'`]*["'`]|^[^=(){};]*\p{L}{2}[^=(){};]*$|\bt\(/u
const TAG = /<\/?[A-Za-z>]|\/>\s*$/
/** Imports and declarations of a file. */
const NAMES =
  /^\s{0,4}(?:import|export|const|let|function|async function|interface|type)\b|^\s*(?:const|let)\s+[[{]/
/** A line of an object that steers a look or a movement: `opacity: 0,`. */
const SETTING = /^\s*[\w'"-]+:\s*(?:-?[\d.]+|\[[-\d., ]*\]|true|false|(["'])[a-z\d#.%-]*\1),?\s*$/
/** Styles, drawings, settings of a look in attributes, and programs inside of HTML. */
const WITHOUT =
  /<style\b[\s\S]*?<\/style>|<svg\b[\s\S]*?<\/svg>|\b(?:style|initial|animate|exit|transition|variants)=\{\{[\s\S]*?\}\}/gi
const SCRIPT = /<script\b[\s\S]*?<\/script>/gi

/** Elements that visitors read first, press, follow or fill in. */
const ACTS =
  /<(?:h[1-3]|\w*Badge|button|a|form|input|select|textarea|label|\w*Button|\w*Link|v-btn)\b|\bon:?click|@click|\bon:?submit|@submit/i
/** The lines that open one of them, whose words stand in the lines up to its end. */
const OPENS = /^\s*<(?:h[1-3]|button|a|label|input|select|textarea|\w*Button|\w*Link|v-btn)\b/i
/** A price, or the name of one in markup: `${total} USD`. */
const PRICE = /[€£¥₱₹]|\$\s?[\d{]|\{[^{}]*(?:price|total|amount|cost)\b[^{}]*\}/i
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

/** The longest element that is shown as a whole because it can be pressed or read. Lines. */
const MAX_ELEMENT = 24

/** Whether each line stands in an element whose first line `opens`, by its indentation. */
function elementsAt(lines: readonly string[], opens: (line: string, at: number) => boolean): boolean[] {
  const isInside = lines.map(() => false)
  const indentOf = (line: string): number => line.search(/\S/)
  for (const [at, line] of lines.entries()) {
    if (!opens(line, at)) continue
    const rest = lines.slice(at + 1, at + MAX_ELEMENT)
    const isOneLine = /<\/[\w.-]*>\s*$|\/>\s*$/.test(line)
    const end = isOneLine
      ? -1
      : rest.findIndex((one) => indentOf(one) === indentOf(line) && /^\s*(?:<\/|\/>)/.test(one))
    isInside.fill(true, at, at + end + 2)
  }
  return isInside
}

/** The beginning of a declaration at the left edge of a program, with its name. */
const DECLARES =
  /^(export\b.*?)?(?:async\s+)?\b(?:function\*?|const|let|var|class|interface|type|enum)\s+([\w$]+)/
const EXPORTED = /\bexport\s+default\s+(?:\w+\()*([\w$]+)|\bexport\s*\{([^}]*)\}/g

/** Whether each line is part of what a file exports: not of its helpers. All lines if it exports nothing. */
function ofExports(path: string, text: string, lines: readonly string[]): boolean[] {
  if (!/\.[cm]?[jt]sx?$/i.test(path)) {
    const bare = text.replace(SCRIPT, (one) => one.replace(/[^\n]/g, '')).split('\n')
    return bare.map((line) => line !== '')
  }
  const exported = new Set(
    [...text.matchAll(EXPORTED)].flatMap((found) =>
      found
        .slice(1)
        .join()
        .match(/[\w$]+/g),
    ),
  )
  let isOwn = false
  const own = lines.map((line) => {
    const declared = DECLARES.exec(line)
    if (declared !== null) isOwn = declared[1] !== undefined || exported.has(declared[2] ?? '')
    else if (/^export\s+default\b/.test(line)) isOwn = true
    return isOwn
  })
  return own.includes(true) ? own : lines.map(() => true)
}

/** A row of markup without words, as it is apart from addresses and numbers. */
const SAID = /\b(?:placeholder|aria-label|label|title|value)=["']|\b(?:placeholder|aria-label|label)=\{/i
const wordless = (line: string): string | null => {
  const shape = line.replace(/=(["'])[^"']*\1/g, '').trim()
  return SAID.test(line) || !shape.startsWith('<') || />[^<>]*\p{L}{2}/u.test(shape) || !shape.endsWith('>')
    ? null
    : shape
}
/** Attributes that visitors do not read. */
const UNSEEN =
  /\b(?:class(?:Name)?|style|d|viewBox|src(?:[Ss]et)?|href|to|id|key|type|name|data-[\w-]+|on\w+)=(?:"[^"]*"|'[^']*'|\{[^{}]*\}?)/g
/** Texts in quotes, with a space or a capital letter, and keys of texts. */
const QUOTED = /["'`](?:\p{Lu}|[^"'`]*\p{L}{2}[^"'`]* )[^"'`]*["'`]|\bt\(/u
const PLAIN = /^[^=(){};]*\p{L}{2}[^=(){};]*$/u
/** A value between tags: `{item.title}`. */
const VALUE = /^\s*\{[\w.?[\]]+\}\s*$/
/** Whether a line has words that visitors read. */
function isSaid(line: string): boolean {
  const seen = line.replace(UNSEEN, '')
  const bare = seen.replace(/<[^<>]*>|<[\w.:-]+|\{[^{}]*\}/g, ' ')
  return SAID.test(line) || QUOTED.test(seen) || PLAIN.test(bare) || VALUE.test(seen)
}
/** Of rows that look alike and say nothing, as in a gallery, the first are shown. */
const MAX_ALIKE = 2
/** The share of an excerpt that imports and declarations may have before the rest of the markup. */
const NAMES_SHARE = 0.15

/**
 * A file, or of a long one as much as fits, in this order: lines that visitors press or read, the elements
 * around them, imports and declarations, texts in code, the markup between, that of helpers, and the rest.
 */
function excerptOf(path: string, text: string, most: number): ShownFile {
  if (text.length <= most) return { path, text }
  const lines = text.split('\n')
  // A gap keeps its line breaks, so that lines count alike.
  const bare = text.replace(WITHOUT, (one) => one.replace(/[^\n]/g, '')).split('\n')
  const own = ofExports(path, text, lines)
  const alike = new Map<string, number>()
  const isAlike = bare.map((line) => {
    const shape = wordless(line)
    if (shape === null) return false
    alike.set(shape, (alike.get(shape) ?? 0) + 1)
    return (alike.get(shape) ?? 0) > MAX_ALIKE
  })
  const has = (form: RegExp): boolean[] =>
    bare.map((line, at) => form.test(line) && !SETTING.test(line) && isAlike[at] !== true)
  const near = (wanted: readonly boolean[], around: number): boolean[] =>
    lines.map((_, at) => wanted.slice(Math.max(0, at - around), at + around + 1).includes(true))
  const acts = has(ACTS)
  const elements = elementsAt(lines, (_, at) => acts[at] === true && OPENS.test(bare[at] ?? ''))
  const [shows, prices, names] = [has(SHOWS), has(PRICE), has(NAMES)]
  const ofOwn = (wanted: readonly boolean[]): boolean[] => wanted.map((one, at) => one && own[at] === true)
  const wanted = lines.map(() => false)
  const sizeWith = (added: readonly number[]): number => {
    const all = [...wanted]
    for (const at of added) all[at] = true
    return linesOf(lines, all).length
  }
  const add = (tier: readonly boolean[], room: number): void => {
    const missing = lines.flatMap((_, at) => (tier[at] === true && wanted[at] !== true ? [at] : []))
    let [fits, tooMany] = [0, missing.length + 1]
    while (tooMany - fits > 1) {
      const half = Math.floor((fits + tooMany) / 2)
      if (sizeWith(missing.slice(0, half)) <= room) fits = half
      else tooMany = half
    }
    for (const at of missing.slice(0, fits)) wanted[at] = true
  }
  const beforeNames = most * (1 - NAMES_SHARE)
  const inMarkup = near(
    bare.map((line) => TAG.test(line)),
    3,
  )
  const said = bare.map((line, at) => inMarkup[at] === true && (isSaid(line) || prices[at] === true))
  for (const tier of [ofOwn(acts), ofOwn(said), ofOwn(elements)]) add(tier, beforeNames)
  const withNames = Math.min(most, sizeWith([]) + most * NAMES_SHARE)
  const imports = names.map((one, at) => one && (own[at] === true || /^\s*import\b/.test(lines[at] ?? '')))
  for (const tier of [imports, names]) add(tier, withNames)
  const data = bare.map((line, at) => inMarkup[at] !== true && shows[at] === true && isSaid(line))
  for (const tier of [data, ofOwn(near(shows, 2)), near(shows, 2), own, lines.map(() => true)])
    add(tier, most)
  return { path, text: cutAt(linesOf(lines, wanted), most) }
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
const AROUND = { repair: { lines: 12, whole: 2_000 }, review: { lines: 7, whole: 800 } }

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
/** The part of a page that browsers and programs read. Its title differs from page to page. */
const HEAD = /<head(?=[\s>])(?:(?!<head[\s>])[\s\S]){200,}?<\/head>/i
const TITLE = /<title\b[^<>]*>[^<]*<\/title>/i
/** Differences between the copies of such a part: the mark of the page, and the way to its folder. */
const OWN_TO_PAGE = /\s(?:class|aria-current)=(["'])[^"']*\1|(?<=["'])(?:\.{1,2}\/)+|\s+/g
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
  let head: string | undefined
  for (const path of new Set(paths)) {
    const text = known.includes(path) ? null : await repository.read(path)
    if (text === null || !isShowable(path, text)) continue
    const once = (part: string, tag: string): string => {
      const key = part.replace(OWN_TO_PAGE, (one) => (one.trim() === '' ? ' ' : ''))
      const first = seen.get(key)
      seen.set(key, first ?? path)
      return first === undefined ? part : `⋯ the same <${tag}> as in ${first} ⋯`
    }
    if (!/\.html?$/i.test(path)) {
      given.push({ path, text: lean(text) })
      continue
    }
    const first = head
    const short = text.replace(HEAD, (one) =>
      first === undefined ? one : `<head>⋯ much as in ${first} ⋯${TITLE.exec(one)?.[0] ?? ''}</head>`,
    )
    if (HEAD.test(text)) head ??= path
    given.push({ path, text: lean(short.replace(REPEATED, once)) })
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
  const fitsWhole = excerpts.files.reduce((sum, file) => sum + costOf(file), 0) <= tokens
  const fair = [...excerpts.files].sort((a, b) => costOf(a) - costOf(b))
  for (const [at, file] of fair.entries()) {
    const room = Math.min(left / (fair.length - at), Math.max(SMALL / 3, tokens * SHARE))
    const text = fitsWhole ? file.text : excerptOf(file.path, file.text, Math.floor(room * 3)).text
    if (text.length < file.text.length) excerpts.inPart.add(file.path)
    file.text = text
    left -= costOf(file)
  }
  return excerpts
}

const costOf = ({ path, text }: ShownFile): number => tokensOf(path) + tokensOf(text) + 20
