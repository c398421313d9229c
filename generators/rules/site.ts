import { UnsupportedEditError } from '../../variants/dialect.js'
import { callingCodesIn } from '../lexicon/calling-code.js'
import { type Language, languageOf } from '../lexicon/language.js'
import { type Locale, localeOf, placeOf, type Texts, textOfKey, textsOf } from '../page/locales.js'
import {
  isData,
  isPagePath,
  isSitemap,
  isVisitorPage,
  isWorkplace,
  mayShow,
  rankOf,
} from '../page/page-paths.js'
import { parsePage } from '../page/parse.js'
import { passingIn } from '../page/passing.js'
import { type FileLinks, linksOf } from '../page/reach.js'
import { addressesOf } from '../page/routes.js'
import { elementsIn, given, type PageTree, textsIn } from '../page/tree.js'
import { behindGates, gateIn, isBuildEntry, isRedirect, replacedByBuild } from '../page/unreached.js'
import { visitedBy } from '../page/visited.js'
import type { BatchRecord, Request } from '../port.js'
import { Contacts } from './contacts.js'
import { Landmarks } from './landmarks.js'
import { HAS_MAP, isTrade, mapFinder, tradesIn } from './maps.js'
import type { SiteFacts } from './rule.js'
import { boundNames } from './ways.js'

/** Longer files are built, or data. */
const MAX_FILE = 400_000
/** The likeliest pages are looked at, and no more: parsing takes a few milliseconds each. */
const MAX_PAGES = 800

/** A page that can be read, with its language. */
export interface ReadPage {
  page: PageTree
  /** `null` if rules have no words for it */
  language: Language | null
  /** whether a visitor can come to see it */
  isReached: boolean
}

export interface Site extends SiteFacts {
  /** paths of the pages, the likeliest first */
  paths: readonly string[]
  read(path: string): Promise<ReadPage | null>
}

/** Whether a file of this path is read as code. */
export const isReadPath = (path: string): boolean =>
  isPagePath(path) || placeOf(path) !== null || (/\.[cm]?[jt]s$/i.test(path) && isVisitorPage(path))

/** Whether rules look into a file of this path, for what it shows or where it leads. */
export const isRulesPath = (path: string): boolean => isReadPath(path) || isContent(path) || isSitemap(path)

/**
 * Reads the repository once: what names what, and which language most pages speak.
 */
export async function siteOf(request: Request, record: BatchRecord, signal?: AbortSignal): Promise<Site> {
  const links: FileLinks[] = []
  const locales: Locale[] = []
  const bound = new Set<string>()
  const said: string[] = []
  let hasRouter = false
  const withMap = new Set<string>()
  const callingCodes = new Set<string>()
  const contacts = new Contacts()
  let trades = 0
  const spoken = new Map<Language, number>()
  const passing = new Map<string, boolean>()
  const redirects = new Set<string>()
  const buildEntries = new Set<string>()
  const gates = new Set<string>()
  const landmarks = new Landmarks()
  for await (const { path, text } of request.repository.files()) {
    signal?.throwIfAborted()
    if (text === null) continue
    said.push(...saidIn(path, text))
    if (!isReadPath(path)) continue
    if (text.length > MAX_FILE) {
      if (isPagePath(path)) record.add('file_too_large')
      continue
    }
    const locale = localeOf(path, text)
    if (locale !== null) locales.push(locale)
    else links.push(linksOf(path, text))
    if (IS_HTML.test(path) && isRedirect(text)) redirects.add(path)
    if (IS_HTML.test(path) && isBuildEntry(text)) buildEntries.add(path)
    const gate = gateIn(path, text)
    if (gate !== null) gates.add(gate)
    hasRouter ||= ROUTER.test(text)
    if (HAS_MAP.test(text)) withMap.add(path)
    if (isVisitorPage(path)) for (const code of callingCodesIn(text)) callingCodes.add(code)
    if (isVisitorPage(path)) contacts.add(path, text)
    if (isVisitorPage(path)) trades += tradesIn(text)
    for (const name of boundNames(text)) bound.add(name)
    landmarks.add(path, text)
    // Of two components with one name, both have to do it.
    for (const [name, does] of passingIn(path, text)) passing.set(name, does && passing.get(name) !== false)
    if (!isVisitorPage(path) || (isPagePath(path) && !mayShow(path, text) && !/[.]m?js$/.test(path))) continue
    const language = isPagePath(path) ? languageOfFile(text, request.locale) : null
    if (language !== null) spoken.set(language, (spoken.get(language) ?? 0) + 1)
  }
  const forVisitors = links.filter(
    ({ path }) => !isPagePath(path) || (isVisitorPage(path) && !isWorkplace(path)),
  )
  const shown = visitedBy(forVisitors, hasRouter, said)
  const behind = await behindGates(links, gates, (path) => request.repository.read(path))
  const isUnseen = (path: string): boolean =>
    redirects.has(path) || behind.has(path) || replacedByBuild(path, buildEntries)
  const paths = links
    .map(({ path }) => path)
    .filter((path) => isPagePath(path))
    .sort((a, b) => rankOf(b) - rankOf(a) || (a < b ? -1 : 1))
    .slice(0, MAX_PAGES)
  const texts = textsOf(locales, request.locale)
  const unreadable = new Set<string>()
  const read = async (path: string): Promise<ReadPage | null> => {
    const text = await request.repository.read(path)
    if (text === null || !mayShow(path, text)) return null
    try {
      return readPage(
        path,
        text,
        texts,
        request.locale ?? mostSpoken(spoken),
        shown.has(path) && !isUnseen(path),
        landmarks.routes,
      )
    } catch (error) {
      if (!(error instanceof UnsupportedEditError)) throw error
      if (!unreadable.has(path)) record.add('file_unreadable')
      unreadable.add(path)
      return null
    }
  }
  const hasMapBeside = mapFinder(links, withMap)
  const facts = {
    hasMapBeside,
    callingCodes,
    contacts,
    passing,
    comesToCustomers: isTrade(trades),
    landmarks,
  }
  return { ...facts, paths, bound, read }
}

const URL_PATH = /https?:\/\/[^/\s"'`<>]+(\/[^\s"'`<>]*)/g

const isContent = (path: string): boolean =>
  placeOf(path) !== null || (isData(path) && !isWorkplace(path) && !isReadPath(path))

/** The addresses that content and the list for search engines name. */
function saidIn(path: string, text: string): string[] {
  if (text.length > MAX_FILE) return []
  const isList = isSitemap(path)
  return [
    ...(isContent(path) || isList ? addressesOf(path, text) : []),
    ...(isList ? [...text.matchAll(URL_PATH)].map(([, to = '']) => to) : []),
  ]
}

const IS_HTML = /\.html?$/i
/** Code that says which page stands at which address, in place of folders. */
const ROUTER = /<Route\b|\bcreate(Browser|Hash|Memory)?Router\(|\buseRoutes\(/
/** Text between two tags, without code, and text in quotes. */
const RUNS = />([^<>{}]{4,400})<|(["'`])((?:(?!\2)[^\\\n<>{}]){6,160})\2/g

/** The language of a file, read without parsing it. */
function languageOfFile(text: string, locale: string | null): Language | null {
  const markup = text.replace(
    /<style\b[\s\S]*?<\/style>|<!--[\s\S]*?-->|\/\*[\s\S]*?\*\/|^[ \t]*(import|\/\/)\b.*$/gm,
    '',
  )
  const runs = [...markup.matchAll(RUNS)].flatMap(([, shown, , said]) => {
    const run = (shown ?? said ?? '').trim()
    return /\p{L}/u.test(run) && (shown !== undefined || run.includes(' ')) ? [run] : []
  })
  return languageOf(runs.join(' '), /<html[^>]*\blang=["']([\w-]+)/i.exec(text)?.[1] ?? null, locale)
}

function readPage(
  path: string,
  text: string,
  texts: Texts,
  locale: string | null,
  isReached: boolean,
  routes: ReadonlyMap<string, string>,
): ReadPage | null {
  const lookup = { asked: false, of: (key: string, namespace?: string) => textOfKey(texts, key, namespace) }
  const page = parsePage(path, text, lookup)
  if (page === null || isWrittenByCode(page)) return null
  page.routes = routes
  if (lookup.asked) {
    const main = new Set(texts.main.map(({ language }) => language))
    page.otherLanguages = texts.locales.map(({ language }) => language).filter((one) => !main.has(one))
  }
  const said = [
    ...textsIn(page.root).map(({ value }) => value),
    ...elementsIn(page.root).map((one) => given(one, 'placeholder') ?? ''),
  ]
    .join(' ')
    .trim()
  const spoken = lookup.asked ? (texts.main[0]?.language ?? null) : null
  const language = languageOf(said, page.lang, locale ?? spoken ?? (said === '' ? 'en' : null))
  return { page, language, isReached }
}

/** Whether a program replaces all that a page of HTML shows, so that a change of it is never seen. */
const isWrittenByCode = ({ dialect, root, text }: PageTree): boolean =>
  dialect === 'html' &&
  /<script\b/i.test(text) &&
  elementsIn(root).some((one) => /^(root|__next|__nuxt|___gatsby)$/.test(given(one, 'id') ?? ''))

/** The language of most pages, for those whose few words do not tell it. */
function mostSpoken(counts: ReadonlyMap<Language, number>): Language | null {
  const [best, next] = [...counts].sort((a, b) => b[1] - a[1])
  return best !== undefined && best[1] >= 4 * (next?.[1] ?? 0) ? best[0] : null
}
