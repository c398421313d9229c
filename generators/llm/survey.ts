import { holdsSecret, isSecretPath } from '../grounding/secrets.js'
import { localeOf, placeOf } from '../page/locales.js'
import { isPagePath, isVisitorPage } from '../page/page-paths.js'
import { collapsed, wordsIn } from '../page/tree.js'
import type { BatchRecord, Request } from '../port.js'
import { isReadPath, siteOf } from '../rules/site.js'

/** What is known of a site before any of its files is read as a whole. At most 25,000 characters. */
export interface Survey {
  /** package and README, cut */
  about: readonly { path: string; text: string }[]
  /** pages and components that visitors reach, the likeliest first */
  pages: readonly SurveyedPage[]
  /** files with the texts of a language */
  texts: readonly { path: string; language: string; keys: number; sample: Readonly<Record<string, string>> }[]
  /** every path that may be asked for */
  paths: ReadonlySet<string>
}

export interface SurveyedPage {
  path: string
  characters: number
  words: string
}

const ABOUT = /^(?:[^/]+\/){0,2}(?:readme(?:\.\w+)?|package\.json)$/i
const MAX_ABOUT = { files: 3, characters: 1_800 }
const MAX_PAGES = { listed: 300, characters: 14_000 }
const MAX_TEXTS = { files: 12, samples: 40, characters: 80 }
/** Words of a page: more if the site is small. */
const WORDS = { most: 300, least: 40 }

/** Whether the survey reads a file of this path. */
export const isSurveyPath = (path: string): boolean => isReadPath(path) || ABOUT.test(path)

/** Reads the repository once, without judgement. Leaves out files that hold a secret. */
export async function surveyOf(
  request: Request,
  record: BatchRecord,
  signal: AbortSignal | undefined,
): Promise<Survey> {
  const about: { path: string; text: string }[] = []
  const texts: Survey['texts'][number][] = []
  const paths = new Set<string>()
  const site = await siteOf(request, record, signal, (path, text) => {
    if (!isSurveyPath(path)) return
    if (isSecretPath(path) || holdsSecret(text)) return record.add('secret')
    paths.add(path)
    const locale = placeOf(path) === null ? null : localeOf(path, text)
    if (locale !== null) texts.push({ path, language: locale.language, ...sampled(locale.entries) })
    else if (ABOUT.test(path)) about.push({ path, text: aboutOf(path, text) })
  })
  const found: SurveyedPage[] = []
  for (const path of site.paths) {
    signal?.throwIfAborted()
    if (found.length === MAX_PAGES.listed || !paths.has(path) || !isVisitorPage(path)) continue
    const page = await site.read(path)
    if (page === null || !page.isReached) continue
    const words = collapsed(wordsIn(page.page.root))
    if (words !== '') found.push({ path, characters: page.page.text.length, words })
  }
  return {
    about: about.sort((a, b) => a.path.length - b.path.length).slice(0, MAX_ABOUT.files),
    pages: cut(found),
    texts: texts.slice(0, MAX_TEXTS.files),
    paths,
  }
}

/** Shortens the words of pages until the list fits. */
function cut(pages: readonly SurveyedPage[]): SurveyedPage[] {
  const room = MAX_PAGES.characters - pages.reduce((sum, { path }) => sum + path.length + 30, 0)
  const each = Math.min(WORDS.most, Math.max(WORDS.least, Math.floor(room / Math.max(1, pages.length))))
  let left = MAX_PAGES.characters
  return pages.flatMap((page) => {
    left -= page.path.length + 30 + Math.min(each, page.words.length)
    return left < 0 ? [] : [{ ...page, words: page.words.slice(0, each) }]
  })
}

function sampled(entries: ReadonlyMap<string, { value: string }>): {
  keys: number
  sample: Record<string, string>
} {
  const some = [...entries].slice(0, MAX_TEXTS.samples)
  return {
    keys: entries.size,
    sample: Object.fromEntries(some.map(([key, { value }]) => [key, value.slice(0, MAX_TEXTS.characters)])),
  }
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

/** Whether a model may be shown a file and edit it. */
export const isShowable = (path: string, text: string): boolean =>
  (isPagePath(path) || placeOf(path) !== null || /\.[cm]?[jt]sx?$/i.test(path)) &&
  !isSecretPath(path) &&
  !holdsSecret(text)
