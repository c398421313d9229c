import { folderOf, foldersOf } from '../../repositories/names.js'
import type { RepositoryHost } from '../../repositories/port.js'
import {
  packagesOf,
  type Rendering,
  rendersOnServer,
  tellsRendering,
} from '../../variants/helper/rendering.js'
import { readFiles } from './read-files.js'
import type { HtmlTemplate } from './site-setup.js'

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
/** Folders of Next's app router, whose components are Server Components. */
const APP_ROUTER = ['app', 'src/app']
/** Upper bound for files read, beyond what real sites have. */
const MAX_FILES = 60

/**
 * How the site of some sources renders its pages. Reads each package.json above them, and the configuration
 * and entry files beside it. Rejects with RepositoryError.
 */
export async function renderingOf(
  host: Pick<RepositoryHost, 'entries' | 'readBlobs'>,
  commit: string,
  sources: readonly string[],
  signal?: AbortSignal,
): Promise<Rendering> {
  const { roots, packages } = await packagesAbove(host, commit, sources, signal)
  const places = new Set([...roots].flatMap((root) => PLACES.map((place) => below(root, place))))
  const inside = [...places].map((place) => below(place, PACKAGE_FILE))
  const entries = await host.entries(commit, inside, signal)
  const telling = [...entries.values()]
    .filter(({ path, kind }) => kind === 'file' && places.has(folderOf(path)) && tellsRendering(path))
    .map(({ path }) => path)
    .slice(0, MAX_FILES)
  const { files } = await readFiles(host, commit, [...telling, ...sources], [], signal)
  const texts = new Map([...files].map(([path, { text = '' }]) => [path, text]))
  const hasServerComponents =
    packages.has('next') &&
    [...roots].some((root) =>
      APP_ROUTER.some((folder) => entries.get(below(root, folder))?.kind === 'folder'),
    )
  return { rendersOnServer: rendersOnServer(packages, texts), hasServerComponents }
}

/** Folders of the packages of some sources, innermost first, and the dependencies of these packages. */
async function packagesAbove(
  host: Pick<RepositoryHost, 'entries' | 'readBlobs'>,
  commit: string,
  sources: readonly string[],
  signal?: AbortSignal,
): Promise<{ readonly roots: readonly string[]; readonly packages: ReadonlySet<string> }> {
  const folders = [...new Set(['', ...sources.flatMap(foldersOf)])]
  const manifests = folders.map((folder) => below(folder, PACKAGE_FILE))
  const { files } = await readFiles(host, commit, manifests, [], signal)
  const roots = [...new Set(['', ...[...files.keys()].map(folderOf)])]
  return {
    roots: roots.sort((a, b) => b.split('/').length - a.split('/').length || b.length - a.length),
    packages: new Set([...files.values()].flatMap(({ text }) => packagesOf(text))),
  }
}

const SVELTEKIT_TEMPLATE = 'src/app.html'
/** HTML templates of bundles beside package.json: Vite, SvelteKit, CRA and Vue CLI, Angular. */
const TEMPLATES = ['index.html', SVELTEKIT_TEMPLATE, 'public/index.html', 'src/index.html']

/** The HTML template of the bundle of some sources, if there is one. Rejects with RepositoryError. */
export async function findTemplate(
  host: Pick<RepositoryHost, 'entries' | 'readBlobs'>,
  commit: string,
  sources: readonly string[],
  signal?: AbortSignal,
): Promise<HtmlTemplate | undefined> {
  const { roots, packages } = await packagesAbove(host, commit, sources, signal)
  const paths = roots.flatMap((root) => TEMPLATES.map((name) => below(root, name)))
  const { files } = await readFiles(host, commit, paths, [], signal)
  const path = paths.find((one) => files.get(one)?.text !== undefined)
  const text = path === undefined ? undefined : files.get(path)?.text
  if (path === undefined || text === undefined) return undefined
  return { path, text, isBuiltByVite: packages.has('vite') && !path.endsWith(SVELTEKIT_TEMPLATE) }
}

function below(folder: string, name: string): string {
  return folder === '' || name === '' ? `${folder}${name}` : `${folder}/${name}`
}
