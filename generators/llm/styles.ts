import { UnsupportedEditError } from '../../variants/dialect.js'
import { joined } from '../page/page-paths.js'
import { parsePage } from '../page/parse.js'
import { above, elementsIn, given, type PageElement } from '../page/tree.js'
import type { ShownFile, SiteFiles } from '../port.js'

const SHEET =
  /<link\b(?=[^<>]*\bstylesheet)[^<>]*\bhref=["'](?!https?:|\/\/)([^"'?#]+\.css)|\bimport\s*(?:[\w$]+\s+from\s*)?["']([^"'\n]+\.css)["']/gi
const OWN = /<style\b[^<>]*>([\s\S]*?)<\/style>/gi
const COMMENT = /\/\*[\s\S]*?\*\//g
const NAMES = /\b(?:class|className|id)=["'{`]{1,2}([^"'`{}<>]+)/g
/** Properties that decide whether a text fits, and where a borrowed class puts it. */
const OF_LAYOUT =
  /^\s*(?:(?:min|max)-)?(?:width|height)|^\s*(?:margin|padding|position|top|right|bottom|left|display|float|overflow|white-space|line-(?:height|clamp)|font-size|color|background(?:-color)?:|text-(?:align|decoration|overflow|transform)|z-index|flex|grid|transform)/
/** Built sheets are those of libraries. */
const MAX_SHEET = 200_000
const MAX_ANCESTORS = 3
const MAX_CHARACTERS = 1_200

/**
 * The rules of a site's style sheets for what edits of a file touch: for the classes and ids of their
 * elements, of those around them, and of the new text.
 */
export async function stylesAround(
  { path, text }: ShownFile,
  edits: readonly { find: string; replace: string }[],
  repository: Pick<SiteFiles, 'read'>,
): Promise<string[]> {
  const names = namesAround({ path, text }, edits)
  if (names.size === 0) return []
  const found: string[] = []
  for (const sheet of await sheetsOf({ path, text }, repository))
    for (const { group, selector, declarations } of rulesIn(sheet)) {
      const said = declarations.split(';').filter((one) => OF_LAYOUT.test(one))
      if (said.length > 0 && isFor(selector, names))
        found.push(
          `${group}${selector.trim().replace(/\s+/g, ' ')} {${said.map((one) => one.trim()).join('; ')}}`,
        )
    }
  let room = MAX_CHARACTERS
  return [...new Set(found)].filter((one) => {
    const fits = one.length < room
    if (fits) room -= one.length + 1
    return fits
  })
}

/** The rules of a sheet, each with the head of its group: `@media (max-width: 600px) `. */
function* rulesIn(written: string): Iterable<{ group: string; selector: string; declarations: string }> {
  const sheet = written.replace(COMMENT, '')
  let group = ''
  for (let at = 0; ; ) {
    const [open, close] = [sheet.indexOf('{', at), sheet.indexOf('}', at)]
    if (close < 0 || open < 0) return
    const head = sheet.slice(at, Math.min(open, close)).trim().replace(/\s+/g, ' ')
    if (close < open) group = ''
    else if (head.startsWith('@')) group = `${head} `
    else yield { group, selector: head, declarations: sheet.slice(open + 1, close) }
    at = close < open ? close + 1 : head.startsWith('@') ? open + 1 : close + 1
  }
}

/** Whether one of the selectors ends with one of the names. */
const isFor = (selectors: string, names: ReadonlySet<string>): boolean =>
  selectors.split(',').some((one) => {
    const last =
      one
        .trim()
        .split(/[\s>+~]+/)
        .at(-1) ?? ''
    return (last.match(/[.#][\w-]+/g) ?? []).some((name) => names.has(name.slice(1)))
  })

function namesAround(
  { path, text }: ShownFile,
  edits: readonly { find: string; replace: string }[],
): Set<string> {
  const said = edits.flatMap(({ find, replace }) =>
    [...`${find} ${replace}`.matchAll(NAMES)].map(([, names = '']) => names),
  )
  const around = edits.flatMap(({ find }) => elementsAround(path, text, find))
  const own = around.map((one) => `${given(one, 'class') ?? ''} ${given(one, 'id') ?? ''}`)
  return new Set([...said, ...own].flatMap((names) => names.split(/\s+/)).filter((name) => name !== ''))
}

/** The element that has a text, and the first ones around it. */
function elementsAround(path: string, text: string, find: string): PageElement[] {
  const at = text.indexOf(find)
  if (at < 0) return []
  try {
    const page = parsePage(path, text, { asked: false, of: () => undefined })
    const inner =
      page === null
        ? undefined
        : elementsIn(page.root).findLast(({ start, end }) => start <= at && end >= at + find.length)
    return inner === undefined ? [] : [inner, ...above(inner)].slice(0, MAX_ANCESTORS + 1)
  } catch (error) {
    if (error instanceof UnsupportedEditError) return []
    throw error
  }
}

/** Sheets that the entry of a site imports for all pages. */
const GLOBAL = [
  ...['app/', 'styles/', ''].flatMap((folder) => [`${folder}globals.css`, `${folder}global.css`]),
  ...['app.css', 'index.css', 'App.css', 'style.css', 'assets/css/main.css', 'assets/main.css'],
].flatMap((one) => [one, `src/${one}`])

async function sheetsOf({ path, text }: ShownFile, repository: Pick<SiteFiles, 'read'>): Promise<string[]> {
  const sheets = [...text.matchAll(OWN)].map(([, own = '']) => own)
  const named = [...text.matchAll(SHEET)].map(([, linked, imported]) =>
    joined(path, linked ?? imported ?? ''),
  )
  for (const one of new Set(/\.html?$/i.test(path) ? named : [...named, ...GLOBAL])) {
    const sheet = await repository.read(one)
    if (sheet !== null && sheet.length <= MAX_SHEET) sheets.push(sheet)
  }
  return sheets
}
