import { posix } from 'node:path'
import type { RepositoryHost, TreeEntry } from '../../repositories/port.js'
import type { Rendering } from '../../variants/helper/rendering.js'
import { HELPER_FILE, type HelperForm, statePath } from '../../variants/helper/source.js'
import { readManifest } from '../../variants/manifest.js'
import type { HelperReference } from '../../variants/port.js'
import { readTexts } from './read-files.js'

/** Folders that sites usually serve at their root. */
const SERVED = ['public', 'static', 'www']
const PAGE = /\.html?$/i

/** Path and form of an experiment's helper. */
export interface HelperPlace {
  readonly path: string
  readonly form: HelperForm
}

export interface HelperQuestion {
  /** Path given when the repository was connected. Null if it is derived. */
  readonly configured: string | null
  /** Path of the helper of earlier experiments, if that is to be used. */
  readonly known: string | undefined
  /** Paths of files with variants. */
  readonly paths: readonly string[]
  /** At least those of the root folder. */
  readonly entries: ReadonlyMap<string, TreeEntry>
}

/** The helper's place, undefined if no file has variants, or the reason that none is possible. */
export function helperPlace(
  question: HelperQuestion,
): HelperPlace | undefined | { readonly problem: string } {
  const { configured, known, paths, entries } = question
  if (paths.length === 0) return undefined
  const pages = paths.filter((path) => PAGE.test(path))
  if (pages.length > 0 && pages.length < paths.length)
    return {
      problem:
        'has variants in pages and in sources, which need different helpers: make two experiments of it',
    }
  const form: HelperForm = pages.length > 0 ? 'script' : 'module'
  const given = known ?? configured
  if (given !== null) return { path: given, form }
  const hasSources = entries.get('src')?.kind === 'folder'
  if (form === 'module') return { path: hasSources ? `src/${HELPER_FILE}` : HELPER_FILE, form }
  if (hasSources && !pages.every((page) => page.startsWith('src/')))
    return {
      problem:
        'is a page beside sources: connect the repository with --helper and a path in the folder that the site serves',
    }
  return { path: posix.join(hasSources ? 'src' : commonFolder(pages), HELPER_FILE), form }
}

/** Pages that sites serve in place of others, at any path. */
const SERVED_ANYWHERE = /(^|\/)(404|500|50x|200|error|not[-_]?found|offline)(\/index)?\.html?$/i

/** How a file refers to the helper: sources by a relative path, pages by the path that the site serves. */
export function helperReference(
  { path, form, ...rendering }: HelperPlace & Partial<Rendering>,
  from: string,
  exposures: string,
): HelperReference {
  const between = posix.relative(posix.dirname(from), path)
  if (form === 'module')
    return { importPath: between.startsWith('.') ? between : `./${between}`, ...rendering }
  const [first = ''] = path.split('/')
  const isServed = SERVED.includes(first)
  const stateSrc = statePath(exposures)
  if (isServed && (!from.startsWith(`${first}/`) || SERVED_ANYWHERE.test(from)))
    return { scriptSrc: path.slice(first.length), stateSrc }
  if (!SERVED_ANYWHERE.test(from)) return { scriptSrc: between, stateSrc }
  // A relative path would depend on the path that a visitor asked for. The site begins where such pages are.
  const root = from.replace(SERVED_ANYWHERE, '$1')
  const isBelow = path.startsWith(root)
  return { scriptSrc: `/${isBelow ? path.slice(root.length) : posix.basename(path)}`, stateSrc }
}

function commonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split('/').slice(0, -1))
  let length = first.length
  for (const other of others)
    while (!first.slice(0, length).every((name, index) => other[index] === name)) length--
  return first.slice(0, length).join('/')
}

const FOLDER = '.svc/experiments/'
const MAX_MANIFESTS = 200

/** Paths of helpers in the manifests of a commit. `except` is the path of a manifest to leave out. */
export async function helpersOf(
  host: Pick<RepositoryHost, 'readBlobs'>,
  entries: ReadonlyMap<string, TreeEntry>,
  except: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const manifests = [...entries.values()]
    .filter(
      ({ path, kind }) =>
        kind === 'file' && path.startsWith(FOLDER) && path.endsWith('.json') && path !== except,
    )
    .slice(0, MAX_MANIFESTS)
  const texts = await readTexts(host, new Set(manifests.map(({ id }) => id)), signal)
  return manifests.flatMap(({ path, id }) => {
    const read = readManifest(texts.get(id)?.text ?? '', path.slice(FOLDER.length, -'.json'.length))
    return read.ok && read.manifest.helper !== null ? [read.manifest.helper] : []
  })
}
