import { pathProblem } from '../../repositories/path-policy.js'
import type { FileWrite } from '../../repositories/port.js'
import { HELPER_FILE } from '../../variants/helper/source.js'
import { isComponentFile } from '../../variants/helper-name.js'
import { manifestPath, writeManifest } from '../../variants/manifest.js'
import type { ErrorDetail } from '../domain-errors.js'
import { helperPlace } from './helper-location.js'
import type { Found } from './read-files.js'
import { inspectSite, readSetup, type SiteReader, setupFiles } from './site-setup.js'
import { hasVariants, type Plan, type WrittenFile, writeChanges } from './write-changes.js'

export interface WriteSettings {
  readonly allow: readonly string[]
  /** Null if the helper's path is derived from the repository. */
  readonly helper: string | null
  readonly exposures: string
}

export type Composed =
  | { readonly ok: true; readonly files: readonly WrittenFile[] }
  | {
      readonly ok: false
      /** Paths are JSON pointers into the declaration. */
      readonly problems: readonly ErrorDetail[]
      /** Files that do not exist. If there are any, other problems of files are not looked for. */
      readonly missing: readonly ErrorDetail[]
    }

/** The rest of the repository. */
export interface Known extends SiteReader {
  /** The helper as earlier experiments have placed it. */
  readonly helper: string | undefined
}

/** Paths that `compose` reads, and paths whose folders it lists (`beside`). */
export function readPaths({ key, changes }: Plan, settings: WriteSettings) {
  const helpers = settings.helper === null ? [HELPER_FILE, `src/${HELPER_FILE}`] : [settings.helper]
  const paths = new Set(changes.map(({ path }) => path))
  return { paths: [...paths], beside: [...helpers, manifestPath(key)] }
}

/** The files of a pull request: changes, variants, the manifest, and the helper if it is missing. */
export async function compose(
  plan: Plan,
  settings: WriteSettings,
  found: Found,
  known: Known,
): Promise<Composed> {
  const unfit = checkPaths(plan, settings, found, known)
  if (unfit !== undefined) return unfit
  const place = helperPlace({
    configured: settings.helper,
    known: known.helper,
    paths: plan.changes.filter(hasVariants).map(({ path }) => path),
    entries: found.entries,
  })
  if (place !== undefined && 'problem' in place) return refused({ path: '/changes', message: place.problem })
  const setup = place && (await readSetup(place, known))
  if (setup?.helper !== undefined && isModule(setup.helper) !== (setup.place.form === 'module'))
    return refused({
      path: '/changes',
      message: `need the helper in another form than ${setup.place.path} has: pages and sources cannot share one helper`,
    })
  const sources = plan.changes.filter(hasVariants).map(({ path }) => path)
  const site = setup && (await inspectSite(setup, sources, known))
  if (site?.problem !== undefined) return refused({ path: '/changes', message: site.problem })
  const { rendersOnServer = false, hasServerComponents = false } = site ?? {}
  const helper = place && { ...place, rendersOnServer, hasServerComponents }
  const { files, manifest, problems } = await writeChanges(plan, helper, found, settings.exposures)
  if (problems.length > 0) return refused(...problems)
  return {
    ok: true,
    files: [
      ...(setup === undefined || site === undefined
        ? files
        : setupFiles(setup, { site, files, exposures: settings.exposures })),
      {
        path: manifestPath(plan.key),
        action: 'create',
        summary: 'Records what the experiment changed, so that it can be removed',
        before: null,
        after: writeManifest({
          form: 1,
          experiment: plan.key,
          helper: place?.path ?? null,
          files: manifest,
        }),
      },
    ],
  }
}

function refused(...problems: readonly ErrorDetail[]): Composed {
  return { ok: false, problems, missing: [] }
}

/** Problems of the paths themselves, checked before any content. */
function checkPaths(
  { changes }: Plan,
  settings: WriteSettings,
  found: Found,
  known: Known,
): Composed | undefined {
  const problems: ErrorDetail[] = []
  const missing: ErrorDetail[] = []
  for (const [index, { path, action }] of changes.entries()) {
    const at = `/changes/${index}/path`
    const problem =
      ownProblem(path, settings.helper ?? known.helper) ??
      pathProblem(path, { allow: settings.allow, entries: found.entries })
    const there = found.files.get(path)
    if (problem !== undefined) problems.push({ path: at, message: `cannot be written: ${problem}` })
    else if (action === 'create' && found.entries.has(path))
      problems.push({ path: at, message: 'exists already' })
    else if (action !== 'create' && there === undefined)
      missing.push({ path: at, message: `the repository has no file ${path}` })
    else if (action !== 'create' && there?.problem !== undefined)
      problems.push({ path: at, message: there.problem })
  }
  if (problems.length > 0) return refused(...problems)
  return missing.length > 0 ? { ok: false, problems: [], missing } : undefined
}

/** Whether a helper is a module, which sources import, and not a script for pages. */
export function isModule(helper: string): boolean {
  return /^export /m.test(helper)
}

/** The changed files in the form that hosts accept. */
export function toWrites(files: readonly WrittenFile[]): FileWrite[] {
  return files
    .filter(({ before, after }) => before !== after)
    .map(({ path, after }) => ({ path, content: after === null ? null : Buffer.from(after, 'utf8') }))
}

/** Why a path is reserved for files that svc writes. Undefined if it is not. */
export function ownProblem(path: string, helper: string | null | undefined): string | undefined {
  if (path === '.svc' || path.startsWith('.svc/')) return 'only svc writes manifests'
  return path === helper || isComponentFile(path) ? 'only svc writes the helper' : undefined
}
