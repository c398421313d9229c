import { UnsupportedEditError } from '../../variants/dialect.js'
import { packagesOf } from '../../variants/helper/rendering.js'
import { withoutComments } from '../comments.js'
import { holdsSecret, isSecretPath } from '../grounding/secrets.js'
import { SiteIndex } from '../grounding/site-index.js'
import { type Locale, localeOf, placeOf, type Texts, textOfKey, textsOf } from '../page/locales.js'
import {
  isForErrors,
  isHome,
  isPagePath,
  isSample,
  isVisitorPage,
  isWorkplace,
  mayShow,
  rankOf,
} from '../page/page-paths.js'
import { parsePage } from '../page/parse.js'
import { type FileLinks, isEntry, linksOf, onServerOf, reachedBy } from '../page/reach.js'
import { collapsed, elementsIn, type PageTree, wordsIn } from '../page/tree.js'
import { isClassList } from '../page/visible-text.js'
import type { BatchRecord, Request } from '../port.js'
import { isReadPath } from '../rules/site.js'
import { type Framework, frameworksOf } from './frameworks.js'

/** A site as known before any of its files is read completely. At most 25,000 characters. */
export interface Survey {
  /** package and README, cut */
  about: readonly { path: string; text: string }[]
  /** the frameworks that its packages name */
  frameworks: readonly Framework[]
  /** pages and components that visitors reach, the likeliest first */
  pages: readonly SurveyedPage[]
  /** pages and components without words of their own that visitors reach: pages first, then by size */
  wordless: readonly { path: string; characters: number }[]
  /** files with texts by key, those of the site's own language first and with samples */
  texts: readonly SurveyedTexts[]
  /** events that the code of the site sends, with the files that send them */
  events: readonly SentEvent[]
  /** every path that may be asked for */
  paths: ReadonlySet<string>
  /** components that no page shows */
  unshown: ReadonlySet<string>
  /** files of Next that run on the server only: Server Components, and what they import */
  onServer: ReadonlySet<string>
  site: SiteIndex
}

export interface SurveyedPage {
  path: string
  characters: number
  words: string
  /** components of the repository that it shows, in order */
  shows?: string[]
  /** it runs on the server only, so that only its JSX can have variants */
  isServerComponent?: true
  /** a page for errors or samples, or an old copy, that no page links to */
  isUnlinked?: true
}

export interface SentEvent {
  eventName: string
  files: string[]
}

export interface SurveyedTexts {
  path: string
  /** `null` if the file has several, or does not tell */
  language: string | null
  texts: number
  sample?: Readonly<Record<string, string>> | string[]
}

const ABOUT = /^(?:[^/]+\/){0,2}(?:readme(?:\.\w+)?|package\.json)$/i
const MAX_FILE = 400_000
const MAX_ABOUT = { files: 3, characters: 1_500 }
const MAX_PAGES = { read: 300, characters: 14_000, shows: 12 }
const MAX_EVENTS = { names: 30, files: 2, characters: 2_500 }
const MAX_TEXTS = { files: 12, samples: 40, characters: 80, total: 6_000 }
/** Words of a page: more if the site is small. */
const WORDS = { most: 600, least: 60 }

/** Files for those who run, build or test the site, by the words of their paths. */
const NOISE =
  /(^|[^a-z])(admin\w*|debug\w*|tests?|testing|pilot|alt|manage|backoffice|staff|seeds?|sandbox|playground|styleguide|old|backup|draft)(?![a-z])/
/** Headings of pages for those who run the site. */
const FOR_TEAM = /^admin\b|\badmin(?:istrator)? (?:panel|dashboard|area|console|login|page)\b/i
const apart = (path: string): string => path.replace(/([a-z\d])([A-Z])/g, '$1-$2')
const isNoise = (path: string): boolean => NOISE.test(apart(path).toLowerCase())

/** Calls that send an event to a service of analytics, with its name. */
const SENDS =
  /\b(?:gtag|sendGAEvent|fbq)\(\s*["'`](?:event|track|trackCustom)["'`]\s*,\s*["'`]([^"'`\n]+)["'`]|\b(?:track|trackEvent|logEvent|sendEvent|plausible)(?:\?\.)?\(\s*(?:[^"'`(){},]{1,60}\?\s*)?["'`]([^"'`\n]+)["'`]|\w\??\.capture\(\s*["'`]([^"'`\n]+)["'`]|\bdataLayer\??\.push\(\s*\{[^{}]*?\bevent["']?\s*:\s*["'`]([^"'`\n]+)["'`]/g
const EVENT_NAME = /^[\p{L}$][\p{L}\d _.:$-]{1,59}$/u

/** Files that are named after the texts that they hold. */
const NAMED_AFTER_TEXTS =
  /(^|[/_.-])(i18n|locales?|lang(uage)?s?|translations?|messages|strings|dictionar(y|ies)|copy|content|constants?|data|faqs?)([/_.-]|$)/i
const SENTENCE = /(["'`])((?:(?!\1)[^\\\n<>{}$]){3,200} (?:(?!\1)[^\\\n<>{}$]){2,300})\1/g
/** Directives, values of `rel`, styles and SQL. */
const IS_CODE =
  /^use (client|server|strict)$|\bnoopener\b|\burl\(|^\s*(select|insert|update|delete|create|alter|drop)\b.*\b(from|into|set|table|policy|index|where)\b/i
/** Placeholders of template engines. */
const NOTATION = /\{[{%#][\s\S]*?[}%#]\}/
/** The setting that names the language in which a site is written. */
const OWN_LANGUAGE =
  /\b(?:defaultLocale|default_locale|defaultLanguage|fallbackLng|fallbackLocale|baseLocale|sourceLocale|sourceLanguageTag)["']?\s*[:=]\s*\[?\s*["']([a-z]{2})\b/

/** Whether the survey reads a file of this path. */
export const isSurveyPath = (path: string): boolean =>
  isReadPath(path) || (ABOUT.test(path) && isVisitorPage(path)) || isDataOfTexts(path)

const isNamedAfterTexts = (path: string): boolean => NAMED_AFTER_TEXTS.test(apart(path))

/** `data/faq.json` and `translationAR.json`, of which no language is known. */
const isDataOfTexts = (path: string): boolean =>
  /\.json$/i.test(path) && placeOf(path) === null && isNamedAfterTexts(path) && isVisitorPage(path)

/** Reads the repository once, without judgement. Leaves out files that hold a secret. */
export async function surveyOf(
  request: Request,
  record: BatchRecord,
  signal: AbortSignal | undefined,
): Promise<Survey> {
  const read = await readAll(request, record, signal)
  const { sources, paths, locales } = read
  const links = sources.map((one) => one.links)
  const texts = textsOf(locales, request.locale ?? read.language)
  const reached = reachedBy(links)
  // A component that only pages for the team show is for the team.
  const visited = reachedBy(links.filter(({ path }) => !isNoise(path)))
  const unshown = unshownOf(sources, reached)
  const onServer = onServerOf(links, read.packages)
  const components = new Set(
    links.flatMap(({ path }) => (isPagePath(path) ? [nameOf(path), folderAndNameOf(path)] : [])),
  )
  const frameworks = frameworksOf(read.packages)
  const linksTo = (path: string): number | null => read.site.linksToPage(path)
  // A design beside the code of the site.
  const isStray = (path: string): boolean =>
    frameworks.length > 0 && /\.html?$/i.test(path) && !isHome(path) && linksTo(path) === 0
  const isUnlinked = (path: string): boolean =>
    (isForErrors(path) && (linksTo(path) ?? 0) === 0) ||
    ((isSample(path) || isOldCopy(path, paths)) && linksTo(path) === 0)
  const likelihood = (path: string): number => {
    if (isHome(path)) return 100
    // Pages of people who work with the site come last.
    const rank = rankOf(path) + Math.min(6, linksTo(path) ?? 0) - (isWorkplace(path) ? 20 : 0)
    return isUnlinked(path) ? -100 : rank
  }
  const found: SurveyedPage[] = []
  const wordless: { path: string; characters: number }[] = []
  const likeliest = links
    .map(({ path }) => path)
    .filter((path) => isPagePath(path) && isVisitorPage(path) && !isNoise(path) && !unshown.has(path))
    .filter((path) => !isCopy(path, paths) && !isStray(path))
    .sort((a, b) => likelihood(b) - likelihood(a) || (a < b ? -1 : 1))
  for (const path of likeliest) {
    signal?.throwIfAborted()
    if (found.length === MAX_PAGES.read) break
    const text = visited.has(path) ? await request.repository.read(path) : null
    const page = text === null ? null : pageOf(path, text, texts, record)
    if (page === null || text === null) continue
    if (elementsIn(page.root).some((one) => one.name === 'h1' && FOR_TEAM.test(wordsIn(one)))) continue
    const words = collapsed(wordsIn(page.root).split(NOTATION).join(' '))
    const shows = componentsOf(page, components, aliasesIn(text)).filter((tag) => plain(tag) !== nameOf(path))
    // A layout fills in what its pages say.
    const isLayout = /\.html?$/i.test(path) && NOTATION.test(text) && words.length < WORDS.least
    const isWordless = !/\p{L}{2}/u.test(words) && shows.length < 2
    if (isWordless && !/\.html?$/i.test(path) && isMarkup(text))
      wordless.push({ path, characters: text.length })
    if (isLayout || isWordless) continue
    found.push({
      path,
      characters: text.length,
      words,
      ...(shows.length === 0 ? {} : { shows }),
      ...(onServer.has(path) ? { isServerComponent: true } : {}),
      ...(isUnlinked(path) ? { isUnlinked: true } : {}),
    })
  }
  const events = eventsOf(read.events)
  return {
    about: read.about
      .filter(({ path }) => isAboutSite(path, paths))
      .sort((a, b) => a.path.length - b.path.length)
      .slice(0, MAX_ABOUT.files),
    frameworks,
    pages: cut(withoutMenus(found), JSON.stringify(events).length),
    wordless: wordless.sort(
      (a, b) => Number(isEntry(b.path)) - Number(isEntry(a.path)) || a.characters - b.characters,
    ),
    events,
    texts: [...keyed(texts), ...read.sentences].slice(0, MAX_TEXTS.files),
    paths,
    unshown,
    onServer,
    site: read.site,
  }
}

/** Whether a file shows more than a drawing. */
const isMarkup = (text: string): boolean => /<[A-Za-z]/.test(text.replace(/<svg\b[\s\S]*?<\/svg>/gi, ''))

/** The events that most files send first. */
function eventsOf(sent: ReadonlyMap<string, Set<string>>): SentEvent[] {
  const all = [...sent]
    .sort(([a, by], [b, others]) => others.size - by.size || (a < b ? -1 : 1))
    .map(([eventName, by]) => ({ eventName, files: [...by].slice(0, MAX_EVENTS.files) }))
    .slice(0, MAX_EVENTS.names)
  while (JSON.stringify(all).length > MAX_EVENTS.characters) all.pop()
  return all
}

/** A README in a folder without a package is about that folder. */
const isAboutSite = (path: string, paths: ReadonlySet<string>): boolean =>
  !path.includes('/') || paths.has(path.replace(/[^/]*$/, 'package.json'))

/** Whether a page is in a folder that is an older copy of the whole site. */
const isCopy = (path: string, paths: ReadonlySet<string>): boolean => {
  const folder = path.slice(0, path.indexOf('/') + 1)
  return folder !== '' && paths.has(`${folder}package.json`) && paths.has(path.slice(folder.length))
}

/** Whether a page has the name of another with a word behind it: `index-elegant.html` beside `index.html`. */
const isOldCopy = (path: string, paths: ReadonlySet<string>): boolean => {
  const [, name] = /^(.+)[-_]\w+\.html?$/i.exec(path) ?? []
  return name !== undefined && [`${name}.html`, `${name}/index.html`].some((one) => paths.has(one))
}

/** Words in a row at the beginning of two pages, which are a menu. */
const MIN_MENU = 4

/** Pages in HTML without the words with which all of them begin that begin like the first. */
function withoutMenus(pages: readonly SurveyedPage[]): SurveyedPage[] {
  const first = pages.find(({ path }) => /\.html?$/i.test(path))
  const menu = first?.words.split(' ') ?? []
  const sharedBy = ({ path, words }: SurveyedPage): number =>
    /\.html?$/i.test(path) ? words.split(' ').findIndex((word, at) => word !== menu[at]) : 0
  const alike = pages.filter((page) => page !== first && sharedBy(page) >= MIN_MENU)
  const length = Math.min(...alike.map(sharedBy))
  return pages.map((page) =>
    alike.includes(page) ? { ...page, words: `… ${page.words.split(' ').slice(length).join(' ')}` } : page,
  )
}

interface Read {
  about: { path: string; text: string }[]
  sources: Source[]
  locales: Locale[]
  /** files with sentences in code or data, without keys of a language */
  sentences: SurveyedTexts[]
  language: string | null
  /** names of events, with the files that send them */
  events: Map<string, Set<string>>
  packages: Set<string>
  paths: Set<string>
  site: SiteIndex
}

async function readAll(
  { repository }: Request,
  record: BatchRecord,
  signal: AbortSignal | undefined,
): Promise<Read> {
  const read: Read = {
    ...{ about: [], sources: [], locales: [], sentences: [], language: null },
    ...{ events: new Map(), packages: new Set(), paths: new Set(), site: new SiteIndex() },
  }
  for await (const { path, text } of repository.files()) {
    signal?.throwIfAborted()
    if (text === null || !isSurveyPath(path)) continue
    if (text.length > MAX_FILE) {
      if (isPagePath(path)) record.add('file_too_large')
      continue
    }
    if (isSecretPath(path) || holdsSecret(text)) {
      record.add('secret')
      continue
    }
    read.paths.add(path)
    if (ABOUT.test(path)) {
      read.about.push({ path, text: aboutOf(path, text) })
      if (/\.json$/i.test(path)) for (const one of packagesOf(text)) read.packages.add(one)
    }
    if (isDataOfTexts(path)) addSentences(read.sentences, path, text)
    if (!isReadPath(path)) continue
    read.language ??= OWN_LANGUAGE.exec(text)?.[1] ?? null
    const locale = localeOf(path, text)
    if (locale !== null) {
      read.locales.push(locale)
      read.site.addTexts(locale)
      continue
    }
    read.sources.push(sourceOf(path, text))
    read.site.add(path, text)
    if (!isNoise(path)) addEvents(read.events, path, text)
    addSentences(read.sentences, path, text)
  }
  return read
}

function addEvents(into: Map<string, Set<string>>, path: string, text: string): void {
  for (const [, ...names] of withoutComments(text).matchAll(SENDS)) {
    const name = names.find((one) => one !== undefined) ?? ''
    if (!EVENT_NAME.test(name)) continue
    into.set(name, (into.get(name) ?? new Set()).add(path))
  }
}

function addSentences(into: SurveyedTexts[], path: string, text: string): void {
  if (!isNamedAfterTexts(path) || isNoise(path) || /\.html?$/i.test(path)) return
  const said = [...text.matchAll(SENTENCE)]
    .map(([, , one = '']) => one)
    .filter((one) => /\p{L}{3}/u.test(one) && !isClassList(one) && !IS_CODE.test(one))
  if (said.length >= 5)
    into.push({
      ...{ path, language: null, texts: said.length },
      sample: said.slice(0, 8).map((one) => one.slice(0, MAX_TEXTS.characters)),
    })
}

/** The parts that a file shows, `null` if there are none or it cannot be read. */
function pageOf(path: string, text: string, texts: Texts, record: BatchRecord): PageTree | null {
  if (!mayShow(path, text)) return null
  const of = (key: string, namespace?: string) => textOfKey(texts, key, namespace)
  try {
    return parsePage(path, text, { asked: false, of })
  } catch (error) {
    if (!(error instanceof UnsupportedEditError)) throw error
    record.add('file_unreadable')
    return null
  }
}

/** `signupform` of `components/sign-up-form.tsx`. */
const nameOf = (path: string): string => plain(/([^/]+?)(?:\/index)?\.\w+$/.exec(path)?.[1] ?? path)

/** `bookingcard` of `components/booking/Card.vue`, as frameworks name what need not be imported. */
const folderAndNameOf = (path: string): string => plain(path.split('/').slice(-2).join(''))

/** Names of components under which a file imports others, with the name of their file or export. */
const ALIAS =
  /\bimport\s+([A-Z]\w*)[^'"`;]{0,2000}?\bfrom\s*["'][^"'\n]*?([\w-]+)(?:\/index)?(?:\.\w+)?["']|\b([A-Z]\w*)\s*=\s*\w+\(\s*(?:async\s*)?\(\)\s*=>\s*import\(\s*["'][^"'\n]*?([\w-]+)(?:\/index)?(?:\.\w+)?["']|\b([A-Z]\w*)\s+as\s+([A-Z]\w*)/g

const aliasesIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(ALIAS)].map(([, local, file, late, lateFile, name, as]) => [
      local ?? late ?? as ?? '',
      file ?? lateFile ?? name ?? '',
    ]),
  )

const componentsOf = (
  { root }: PageTree,
  components: ReadonlySet<string>,
  aliases: ReadonlyMap<string, string>,
): string[] =>
  [
    ...new Set(
      elementsIn(root).map(({ tag }) => (components.has(plain(tag)) ? tag : (aliases.get(tag) ?? tag))),
    ),
  ]
    .filter((tag) => /^[A-Z]|-/.test(tag) && components.has(plain(tag)))
    .slice(0, MAX_PAGES.shows)

/** A file with the names of components that it uses and exports, and of the files that it imports. */
interface Source {
  links: FileLinks
  names: ReadonlySet<string>
  exports: readonly string[]
}

const REEXPORT = /\bexport\b[^;'"`]*?\bfrom\s*["'][^"']+["']/g
const EXPORT =
  /\bexport\s+(?:default\s+)?(?:async\s+)?(?:function|const|class)\s+([A-Z][\w$]*)|\bexport\s+default\s+(?:\w+\()*([A-Z][\w$]*)|\bexport\s*\{([^}]{0,4000})\}(?!\s*from)/g

function sourceOf(path: string, text: string): Source {
  const links = linksOf(path, text)
  const code = withoutComments(text).replace(
    REEXPORT,
    // Under another name it may be used.
    (whole) => (/\bas\b/.test(whole) ? whole.slice(whole.indexOf('from')) : ''),
  )
  const names = [...code.matchAll(/\b[A-Z][\w$]*|<[a-z]+-[\w-]+|\/[\w.-]+(?=["'`])/g)].map(([name]) =>
    plain(name),
  )
  const exports = [...text.matchAll(EXPORT)].flatMap((found) =>
    found.slice(1).flatMap((names = '') => [...names.matchAll(/[A-Z][\w$]*/g)].map(([name]) => plain(name))),
  )
  return { links, names: new Set(names), exports }
}

const plain = (name: string): string =>
  name.replace(/\.(?:[cm]?[jt]sx?|vue|svelte)$|[^\w$.]|_/g, '').toLowerCase()

/** Components that no entry reaches, or that only lists of exports name. */
function unshownOf(sources: readonly Source[], reached: ReadonlySet<string>): Set<string> {
  const users = new Map<string, number>()
  for (const { links, names } of sources)
    if (reached.has(links.path)) for (const name of names) users.set(name, (users.get(name) ?? 0) + 1)
  const isUsed = ({ links: { path }, names, exports }: Source): boolean =>
    (exports.length === 0 && /x$/.test(path)) ||
    [...exports, nameOf(path), folderAndNameOf(path)].some(
      (name) => (users.get(name) ?? 0) > (names.has(name) ? 1 : 0),
    )
  return new Set(
    sources
      .filter(({ links: { path } }) => /\.([jt]sx|vue|svelte)$/i.test(path) && !isEntry(path))
      .filter((one) => !reached.has(one.links.path) || !isUsed(one))
      .map(({ links }) => links.path),
  )
}

/** The files of texts: those of the main language with samples, of the others only that they are there. */
function keyed({ main, locales }: Texts): SurveyedTexts[] {
  let left = MAX_TEXTS.total
  const others = locales.filter((one) => !main.includes(one))
  return [...main, ...others].map((one) => {
    const known = { path: one.path, language: one.language, texts: one.entries.size }
    if (others.includes(one) || left <= 0) return known
    const sample = Object.fromEntries(
      [...one.entries]
        .slice(0, MAX_TEXTS.samples)
        .map(([key, value]) => [key, value.slice(0, MAX_TEXTS.characters)]),
    )
    left -= JSON.stringify(sample).length
    return { ...known, sample }
  })
}

/** Shortens the words of pages until the list fits. */
function cut(pages: readonly SurveyedPage[], taken: number): SurveyedPage[] {
  const most = MAX_PAGES.characters - taken
  const costOf = ({ path, shows = [] }: SurveyedPage): number => path.length + shows.join().length + 40
  const room = most - pages.reduce((sum, page) => sum + costOf(page), 0)
  const each = Math.min(WORDS.most, Math.max(WORDS.least, Math.floor(room / Math.max(1, pages.length))))
  let left = most
  return pages.flatMap((page) => {
    left -= costOf(page) + Math.min(each, page.words.length)
    const words = page.words.length > each ? `${page.words.slice(0, each)}…` : page.words
    return left < 0 ? [] : [{ ...page, words }]
  })
}

/** Of a package only what says what it is. */
function aboutOf(path: string, text: string): string {
  if (!/\.json$/i.test(path)) return text.slice(0, MAX_ABOUT.characters)
  try {
    const { name, description, keywords, dependencies } = JSON.parse(text) as Record<string, unknown>
    return JSON.stringify({
      name,
      description,
      keywords,
      dependencies: Object.keys(dependencies ?? {}),
    }).slice(0, MAX_ABOUT.characters)
  } catch {
    // Its beginning is all that can be said of a package that does not parse.
    return text.slice(0, MAX_ABOUT.characters)
  }
}

/** Whether a model may be shown a file and edit it. Parts of pages in HTML can have no variants. */
export const isShowable = (path: string, text: string): boolean =>
  ((isPagePath(path) && (!/\.html?$/i.test(path) || mayShow(path, text))) ||
    placeOf(path) !== null ||
    /\.[cm]?[jt]sx?$/i.test(path) ||
    isDataOfTexts(path)) &&
  !isSecretPath(path) &&
  !holdsSecret(text)
