import { isBuilt, isData, isPagePath, isSitemap, rankOf } from '../../generators/page/page-paths.js'
import type { TreeEntry } from '../../repositories/port.js'
import { HELPER_FILE } from '../../variants/helper/source.js'
import { helpersOf, isModule, readFiles } from '../code-changes/index.js'
import type { ConnectedRepository } from '../repositories/index.js'
import type { CodeFile, WriteRules } from './generating/messages.js'

/** The part of a commit that generators read. */
export interface RepositoryCode {
  readonly commit: string
  readonly files: readonly CodeFile[]
  readonly rules: WriteRules
  /** Numbers of files that were left out, by reason. */
  readonly dropped: readonly { readonly reason: string; readonly count: number }[]
}

/** Files beside pages that can hold texts of a site: sources with constants, and translations. */
const SOURCES = /\.[cm]?[jt]sx?$/i
const WORDS =
  /(^|\/)(locales?|i18n|lang(uage)?s?|translations?|messages|intl)\/.*\.(json|ya?ml)$|(^|\/)(messages|locale|translations?)[._-]?[a-z-]*\.(json|ya?ml)$/i
/** They tell whether a site renders on a server. Generators read them only by name. */
const PACKAGES = /(^|\/)package\.json$/
/** Files in which a project describes itself, for language models. */
const README = /^(?:[^/]+\/){0,2}readme(?:\.\w+)?$/i
/** Style sheets, which generators read only by name. */
const SHEETS = /\.css$/i
const NOT_OURS =
  /(^|\/)(node_modules|vendor|bower_components|coverage|\.[^/]+)\/|\.(min|d)\.[cm]?[jt]s$|\.(test|spec|stories|story)\.[^/]*$/i
/** Pages in template languages without a parser here. */
const UNREAD_PAGES =
  /\.(pug|jade|astro|mdx|twig|liquid|erb|haml|slim|ejs|hbs|handlebars|njk|mustache|cshtml|razor|j2|jinja2?|ftl|php|phtml)$/i
/** Larger files are build output or data. */
const MAX_BYTES = 1024 * 1024
/** A remote host counts requests, so only the likeliest pages are read. */
const MAX_FILES = { local: Number.POSITIVE_INFINITY, github: 1_500 } as const

/** The head of the base branch, and the files that generators read. Rejects with RepositoryError. */
export async function codeAtHead(
  { host, settings }: ConnectedRepository,
  signal: AbortSignal,
): Promise<RepositoryCode> {
  const commit = await host.head(signal)
  const tree = await host.tree(commit, signal)
  const readable = tree.filter(isReadable)
  const small = readable.filter(({ size = 0 }) => size <= MAX_BYTES)
  const most = MAX_FILES[settings.kind]
  const looked = small.length <= most ? small : pagesFirst(small).slice(0, most)
  const dropped = [
    { reason: 'file_too_large', count: readable.length - small.length },
    { reason: 'file_not_looked_at', count: small.length - looked.length },
    { reason: 'file_kind_not_read', count: tree.filter(isOfUnreadKind).length },
  ].filter(({ count }) => count > 0)
  return {
    commit,
    files: looked.map(({ path, id, size = 0 }) => ({ path, blobId: id, size })),
    rules: await rulesOf({ host, settings }, commit, tree, signal),
    dropped,
  }
}

function isReadable({ kind, path, unreadableName }: TreeEntry): boolean {
  const isFile = kind === 'file' || kind === 'executable'
  return (
    isFile &&
    !unreadableName &&
    !NOT_OURS.test(path) &&
    !isBuilt(path) &&
    (isPagePath(path) || isBeside(path) || SHEETS.test(path) || isData(path) || isSitemap(path))
  )
}

const isBeside = (path: string): boolean => [SOURCES, WORDS, PACKAGES, README].some((one) => one.test(path))

const isOfUnreadKind = ({ kind, path }: TreeEntry): boolean =>
  (kind === 'file' || kind === 'executable') && !NOT_OURS.test(path) && UNREAD_PAGES.test(path)

const pagesFirst = (entries: readonly TreeEntry[]): TreeEntry[] => [
  ...entries.filter(({ path }) => isPagePath(path)).sort((a, b) => rankOf(b.path) - rankOf(a.path)),
  ...entries.filter(({ path }) => !isPagePath(path) && isBeside(path)),
  // Content, which may be most of a repository.
  ...entries.filter(({ path }) => !isPagePath(path) && !isBeside(path)),
]

async function rulesOf(
  { host, settings }: ConnectedRepository,
  commit: string,
  tree: readonly TreeEntry[],
  signal: AbortSignal,
): Promise<WriteRules> {
  const entries = new Map(tree.map((entry) => [entry.path, entry]))
  const [known] = settings.helper === null ? await helpersOf(host, entries, '', signal) : [settings.helper]
  const place = known ?? [`src/${HELPER_FILE}`, HELPER_FILE].find((path) => entries.has(path))
  const found = place === undefined ? undefined : await readFiles(host, commit, [place], [], signal)
  const text = place === undefined ? undefined : found?.files.get(place)?.text
  return {
    allow: settings.allow,
    helper: known,
    helperForm: text === undefined ? undefined : isModule(text) ? 'module' : 'script',
    hasSources: tree.some(({ path }) => path.startsWith('src/')),
  }
}
