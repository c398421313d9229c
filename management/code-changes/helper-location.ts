import { posix } from 'node:path'
import type { RepositoryHost, TreeEntry } from '../../repositories/port.js'
import { HELPER_FILE, type HelperForm } from '../../variants/helper/source.js'
import { readManifest } from '../../variants/manifest.js'
import type { HelperReference } from '../../variants/port.js'
import { readTexts } from './read-files.js'

/** Folders that sites serve at their root, by custom. */
const SERVED = ['public', 'static', 'www']
const PAGE = /\.html?$/i

/** Where the helper of an experiment lies, and in which form. */
export interface HelperPlace {
  readonly path: string
  readonly form: HelperForm
}

export interface HelperQuestion {
  /** As it was connected; null: found by what is there. */
  readonly configured: string | null
  /** Where an experiment before this one has it. */
  readonly known: string | undefined
  /** Files with variants. */
  readonly paths: readonly string[]
  /** Of the root folder at least. */
  readonly entries: ReadonlyMap<string, TreeEntry>
}

/** Where the helper goes, undefined where no file has variants; or why there is no place for it. Source: API.md section 3a. */
export function helperPlace(
  question: HelperQuestion,
): HelperPlace | undefined | { readonly problem: string } {
  const { configured, known, paths, entries } = question
  if (paths.length === 0) return undefined
  const pages = paths.filter((path) => PAGE.test(path))
  if (pages.length > 0 && pages.length < paths.length)
    return {
      problem:
        'has variants in pages and in sources, which load the helper in different forms: make two experiments of it',
    }
  const form: HelperForm = pages.length > 0 ? 'script' : 'module'
  const given = configured ?? known
  if (given !== undefined && given !== null) return { path: given, form }
  const hasSources = entries.get('src')?.kind === 'folder'
  if (form === 'module') return { path: hasSources ? `src/${HELPER_FILE}` : HELPER_FILE, form }
  if (hasSources && !pages.every((page) => page.startsWith('src/')))
    return {
      problem:
        'is a page beside sources: connect the repository with --helper, a path in the folder that the site serves',
    }
  return { path: posix.join(hasSources ? 'src' : commonFolder(pages), HELPER_FILE), form }
}

/** How a file says where the helper is: sources by the path between the two files, pages by the path at which the site serves it. */
export function helperReference(place: HelperPlace, from: string): HelperReference {
  const between = posix.relative(posix.dirname(from), place.path)
  if (place.form === 'module') return { importPath: between.startsWith('.') ? between : `./${between}` }
  const [first = ''] = place.path.split('/')
  const served = SERVED.includes(first) && !from.startsWith(`${first}/`)
  return { scriptSrc: served ? place.path.slice(first.length) : between }
}

function commonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split('/').slice(0, -1))
  let length = first.length
  for (const other of others)
    while (!first.slice(0, length).every((name, index) => other[index] === name)) length--
  return first.slice(0, length).join('/')
}

const FOLDER = '.svc/experiments/'
const MOST = 200

/** Where the experiments in a commit have the helper, by their manifests. `except`: the manifest of one that does not count. */
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
    .slice(0, MOST)
  const texts = await readTexts(host, new Set(manifests.map(({ id }) => id)), signal)
  return manifests.flatMap(({ path, id }) => {
    const read = readManifest(texts.get(id)?.text ?? '', path.slice(FOLDER.length, -'.json'.length))
    return read.ok && read.manifest.helper !== null ? [read.manifest.helper] : []
  })
}
