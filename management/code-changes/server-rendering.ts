import { folderOf, foldersOf } from '../../repositories/names.js'
import type { RepositoryHost } from '../../repositories/port.js'
import { rendersOnServer, tellsRendering } from '../../variants/helper/rendering.js'
import { readFiles } from './read-files.js'

const PACKAGE_FILE = 'package.json'
/** Folders beside a package.json in which sites have their entry files. */
const PLACES = [
  '',
  'src',
  'app',
  'src/app',
  'src/client',
  'src/server',
  'src/routes',
  'client',
  'server',
  'pages',
]
/** Upper bound for files read, beyond what real sites have. */
const MAX_FILES = 60

/**
 * Whether the site of some sources renders its pages on a server too. Reads each package.json above them,
 * and the configuration and entry files beside it. Rejects with RepositoryError.
 */
export async function rendersPagesOnServer(
  host: Pick<RepositoryHost, 'entries' | 'readBlobs'>,
  commit: string,
  sources: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  const folders = [...new Set(['', ...sources.flatMap(foldersOf)])]
  const manifests = folders.map((folder) => below(folder, PACKAGE_FILE))
  const { files: found } = await readFiles(host, commit, manifests, [], signal)
  const roots = new Set(['', ...[...found.keys()].map(folderOf)])
  const places = new Set([...roots].flatMap((root) => PLACES.map((place) => below(root, place))))
  const inside = [...places].map((place) => below(place, PACKAGE_FILE))
  const entries = await host.entries(commit, inside, signal)
  const telling = [...entries.values()]
    .filter(({ path, kind }) => kind === 'file' && places.has(folderOf(path)) && tellsRendering(path))
    .map(({ path }) => path)
    .slice(0, MAX_FILES)
  const { files } = await readFiles(host, commit, [...telling, ...sources], [], signal)
  const texts = new Map([...files].map(([path, { text = '' }]) => [path, text]))
  return rendersOnServer(new Set([...found.values()].flatMap(({ text }) => packagesOf(text))), texts)
}

function below(folder: string, name: string): string {
  return folder === '' || name === '' ? `${folder}${name}` : `${folder}/${name}`
}

/** Names of the dependencies of a package.json. None if it is not valid JSON. */
function packagesOf(text: string | undefined): string[] {
  if (text === undefined) return []
  try {
    const { dependencies, devDependencies } = Object(JSON.parse(text)) as Record<string, unknown>
    return [...Object.keys(Object(dependencies)), ...Object.keys(Object(devDependencies))]
  } catch {
    // Not JSON: the site has no dependencies that we could know.
    return []
  }
}
