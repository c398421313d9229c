import { UnsupportedEditError } from '../../variants/dialect.js'
import { type Language, languageOf } from '../lexicon/language.js'
import { type Locale, localeOf, placeOf, type Texts, textOfKey, textsOf } from '../page/locales.js'
import { isPagePath, isVisitorPage, mayShow, rankOf } from '../page/page-paths.js'
import { parsePage } from '../page/parse.js'
import { type FileLinks, linksOf, reachedBy } from '../page/reach.js'
import { elementsIn, given, type PageTree, textsIn } from '../page/tree.js'
import type { BatchRecord, Request } from '../port.js'
import type { Statement } from './rule.js'
import { agreed, sentencesIn, statementsIn } from './statements.js'
import { boundNames } from './ways.js'

/** Longer files are built, or data. */
const MAX_FILE = 400_000
/** The likeliest pages are looked at, and no more: parsing takes a few milliseconds each. */
const MAX_PAGES = 800
const MAX_STATEMENTS = 200

/** A page that can be read, with its language. */
export interface ReadPage {
  page: PageTree
  /** `null` if rules have no words for it */
  language: Language | null
  /** whether a visitor can come to see it */
  isReached: boolean
}

export interface Site {
  /** paths of the pages, the likeliest first */
  paths: readonly string[]
  statements: readonly Statement[]
  /** classes and ids by which scripts of the site find elements */
  bound: ReadonlySet<string>
  read(path: string): Promise<ReadPage | null>
}

/** Whether rules read a file of this path at all. */
export const isReadPath = (path: string): boolean =>
  isPagePath(path) || placeOf(path) !== null || (/\.[cm]?[jt]s$/i.test(path) && isVisitorPage(path))

/**
 * Reads the repository once: what names what, and what the site says of itself.
 */
export async function siteOf(request: Request, record: BatchRecord, signal?: AbortSignal): Promise<Site> {
  const links: FileLinks[] = []
  const locales: Locale[] = []
  const statements: Statement[] = []
  const bound = new Set<string>()
  const spoken = new Map<Language, number>()
  for await (const { path, text } of request.repository.files()) {
    signal?.throwIfAborted()
    if (text === null) continue
    if (!isReadPath(path)) continue
    if (text.length > MAX_FILE) {
      if (isPagePath(path)) record.add('file_too_large')
      continue
    }
    const locale = localeOf(path, text)
    if (locale !== null) locales.push(locale)
    else links.push(linksOf(path, text))
    for (const name of boundNames(text)) bound.add(name)
    if (!isVisitorPage(path) || (isPagePath(path) && !mayShow(path, text) && !/[.]m?js$/.test(path))) continue
    const { sentences, language } = sentencesIn(text, locale === null ? request.locale : locale.language)
    if (language === null) continue
    if (isPagePath(path)) spoken.set(language, (spoken.get(language) ?? 0) + 1)
    if (statements.length < MAX_STATEMENTS && !/(^|\/)(api|server|backend)\//.test(path))
      statements.push(...statementsIn(path, sentences, language))
  }
  const reached = reachedBy(links)
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
      return readPage(path, text, texts, request.locale ?? mostSpoken(spoken), reached.has(path))
    } catch (error) {
      if (!(error instanceof UnsupportedEditError)) throw error
      if (!unreadable.has(path)) record.add('file_unreadable')
      unreadable.add(path)
      return null
    }
  }
  return {
    paths,
    bound,
    statements: agreed(statements.filter(({ path }) => reached.has(path) || placeOf(path) !== null)),
    read,
  }
}

function readPage(
  path: string,
  text: string,
  texts: Texts,
  locale: string | null,
  isReached: boolean,
): ReadPage | null {
  const lookup = { asked: false, of: (key: string, namespace?: string) => textOfKey(texts, key, namespace) }
  const page = parsePage(path, text, lookup)
  if (page === null || isWrittenByCode(page)) return null
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
