import { componentSource, componentTypes } from '../../variants/helper/component.js'
import type { Rendering } from '../../variants/helper/rendering.js'
import {
  HELPER_TYPES_FILE,
  helperSource,
  helperTypes,
  isServerRendered,
  readsState,
  statePath,
} from '../../variants/helper/source.js'
import { COMPONENT_FILE, COMPONENT_TYPES_FILE } from '../../variants/helper-name.js'
import { withStateTag } from '../../variants/html/script-tag.js'
import { policyProblemIn } from '../../variants/html/security-policy.js'
import type { HelperPlace } from './helper-location.js'
import type { Found } from './read-files.js'
import type { WrittenFile } from './write-changes.js'

const TYPESCRIPT_FILE = 'tsconfig.json'

/** The page into which a bundle is loaded. */
export interface HtmlTemplate {
  readonly path: string
  readonly text: string
  readonly isBuiltByVite: boolean
}

/** Looks at a site in one commit of its repository. */
export interface SiteReader {
  read(paths: readonly string[]): Promise<Found>
  /** Whether the site that some sources belong to renders on a server, and has Server Components. */
  rendering(sources: readonly string[]): Promise<Rendering>
  template(sources: readonly string[]): Promise<HtmlTemplate | undefined>
}

/** The helper of a site as it is. */
interface Setup {
  readonly place: HelperPlace
  /** Undefined if it is missing or cannot be read. */
  readonly helper: string | undefined
  readonly typesPath: string
  readonly componentPath: string
  readonly found: Found
}

export async function readSetup(place: HelperPlace, reader: SiteReader): Promise<Setup> {
  const beside = (name: string): string => place.path.replace(/[^/]+$/, name)
  const [typesPath, componentPath] = [beside(HELPER_TYPES_FILE), beside(COMPONENT_FILE)]
  const found = await reader.read([place.path, typesPath, componentPath])
  return { place, helper: found.files.get(place.path)?.text, typesPath, componentPath, found }
}

/** How a site makes its pages. */
interface Site extends Rendering {
  /** The page of its bundle. Undefined for pages that are served as they are or rendered on a server. */
  readonly template: HtmlTemplate | undefined
  /** Why its pages could not show variants. */
  readonly problem: string | undefined
}

/** The site that the sources with variants belong to. */
export async function inspectSite(
  { place, helper }: Setup,
  sources: readonly string[],
  reader: SiteReader,
): Promise<Site> {
  if (place.form === 'script')
    return { rendersOnServer: false, hasServerComponents: false, template: undefined, problem: undefined }
  const isInBrowser = helper !== undefined && !isServerRendered(helper)
  const rendering = isInBrowser
    ? { rendersOnServer: false, hasServerComponents: false }
    : await reader.rendering(sources)
  const rendersOnServer = helper === undefined ? rendering.rendersOnServer : !isInBrowser
  const template = rendersOnServer ? undefined : await reader.template(sources)
  const blocked = template && policyProblemIn(template.text)
  const problem = blocked && `cannot be shown on ${template.path}: ${blocked}`
  return { ...rendering, rendersOnServer, template, problem }
}

interface Needed {
  readonly site: Site
  /** All files that the pull request changes. */
  readonly files: readonly WrittenFile[]
  readonly exposures: string
}

/**
 * The files of a pull request with what the site lacks: the helper and its types, and in the template of a
 * bundle the tag of the serving state. Pages that are served as they are have their tags already.
 */
export function setupFiles(setup: Setup, { site, files, exposures }: Needed): readonly WrittenFile[] {
  const written = [
    ...files,
    ...helperFiles(setup, exposures, site.rendersOnServer),
    ...componentFiles(setup, files),
  ]
  return withTemplate(written, site.template, exposures)
}

/** The helper and its types, if they are missing or do not go by the serving state yet. */
function helperFiles(
  { place, helper, typesPath, found }: Setup,
  exposures: string,
  serverRendered: boolean,
): WrittenFile[] {
  const isThere = found.entries.has(place.path)
  if (isThere && (helper === undefined || readsState(helper))) return []
  const files: WrittenFile[] = [
    {
      path: place.path,
      action: isThere ? 'modify' : 'create',
      summary: isThere
        ? 'Lets the helper go by what svc serves'
        : 'Adds the helper that decides which variant a visitor gets',
      before: helper ?? null,
      after: helperSource(place.form, { exposures, serverRendered }),
    },
  ]
  const types = found.files.get(typesPath)?.text ?? null
  if (place.form === 'module' && (types !== null || found.entries.has(TYPESCRIPT_FILE)))
    files.push({
      path: typesPath,
      action: types === null ? 'create' : 'modify',
      summary: types === null ? "Adds the helper's types" : "Updates the helper's types",
      before: types,
      after: helperTypes(),
    })
  return files
}

/** The component for Server Components and its types, if a file comes to use it. */
function componentFiles({ componentPath, found }: Setup, files: readonly WrittenFile[]): WrittenFile[] {
  const isUsed = files.some(({ after }) => after?.includes(COMPONENT_FILE))
  if (!isUsed || found.entries.has(componentPath)) return []
  const create = (path: string, summary: string, after: string): WrittenFile => {
    return { path, action: 'create', summary, before: null, after }
  }
  const made = create(
    componentPath,
    'Adds the component that shows variants in Server Components',
    componentSource(),
  )
  if (!found.entries.has(TYPESCRIPT_FILE)) return [made]
  const typesPath = componentPath.replace(/[^/]+$/, COMPONENT_TYPES_FILE)
  return [made, create(typesPath, "Adds the component's types", componentTypes())]
}

/** The files with the tag in the template, which may be one of them. */
function withTemplate(
  files: readonly WrittenFile[],
  template: HtmlTemplate | undefined,
  exposures: string,
): readonly WrittenFile[] {
  if (template === undefined) return files
  const { path, isBuiltByVite } = template
  const changed = files.find((file) => file.path === path)
  const text = changed === undefined ? template.text : changed.after
  const tagged = text === null ? null : withStateTag(text, statePath(exposures), isBuiltByVite)
  if (tagged === null || tagged === text) return files
  if (changed !== undefined)
    return files.map((file) => (file === changed ? { ...file, after: tagged } : file))
  const summary = 'Loads the serving state before everything else'
  return [...files, { path, action: 'modify', summary, before: template.text, after: tagged }]
}
