import { pathProblem } from '../../repositories/path-policy.js'
import type { FileWrite } from '../../repositories/port.js'
import { HELPER_FILE, HELPER_TYPES_FILE, helperSource, helperTypes } from '../../variants/helper/source.js'
import { manifestPath, writeManifest } from '../../variants/manifest.js'
import type { Edit, ManifestFile } from '../../variants/port.js'
import type { Change, Variant } from '../experiments/types.js'
import type { RefusalDetail } from '../refusals.js'
import { helperPlace, helperReference } from './helper-place.js'
import type { Found } from './read-files.js'
import { writeVariants } from './writing/variants.js'

/** What a pull request is made of. */
export interface Plan {
  readonly key: string
  /** The first is the control. */
  readonly variants: readonly Variant[]
  readonly changes: readonly Change[]
}

export interface WriteSettings {
  readonly allow: readonly string[]
  /** Null: found by what is there. */
  readonly helper: string | null
  readonly exposures: string
}

/** A file as it is and as it becomes; null: not there. */
export interface WrittenFile {
  readonly path: string
  readonly action: 'create' | 'modify' | 'delete'
  readonly summary: string
  readonly before: string | null
  readonly after: string | null
}

export type Composed =
  | { readonly ok: true; readonly files: readonly WrittenFile[] }
  | {
      readonly ok: false
      /** By JSON pointers into what was declared. */
      readonly problems: readonly RefusalDetail[]
      /** Files that the changes need and that are not there; only these where there are any. */
      readonly missing: readonly RefusalDetail[]
    }

const TYPESCRIPT_FILE = 'tsconfig.json'

/** What the rest of the repository tells. */
export interface Known {
  /** Where experiments before this one have the helper. */
  readonly helper: string | undefined
  /** Whether the site that some sources belong to renders on a server; asked where the helper is new. */
  rendersOnServer(sources: readonly string[]): Promise<boolean>
}

/** Paths whose contents `compose` wants to see, and paths whose folders it does. */
export function readPaths({ key, changes }: Plan, settings: WriteSettings) {
  const helpers = settings.helper === null ? [HELPER_FILE, `src/${HELPER_FILE}`] : [settings.helper]
  const paths = [...changes.map(({ path }) => path), ...helpers]
  return { paths: [...new Set(paths)], beside: [manifestPath(key), TYPESCRIPT_FILE] }
}

/**
 * All that an experiment's pull request writes: its changes, its variants, the helper where it is missing, and the manifest.
 *
 * @param known where experiments before this one have the helper, and how the site is rendered
 */
export async function compose(
  plan: Plan,
  settings: WriteSettings,
  found: Found,
  { helper: knownHelper, rendersOnServer }: Known,
): Promise<Composed> {
  const { key, changes } = plan
  const problems: RefusalDetail[] = []
  const missing: RefusalDetail[] = []
  for (const [index, { path, action }] of changes.entries()) {
    const at = `/changes/${index}/path`
    const problem =
      ownProblem(path, settings.helper ?? knownHelper) ??
      pathProblem(path, { allow: settings.allow, entries: found.entries })
    const there = found.files.get(path)
    if (problem !== undefined) problems.push({ path: at, message: `cannot be written: ${problem}` })
    else if (action === 'create' && found.entries.has(path))
      problems.push({ path: at, message: 'is there already' })
    else if (action !== 'create' && there === undefined)
      missing.push({ path: at, message: `there is no file ${path} in the repository` })
    else if (action !== 'create' && there?.problem !== undefined)
      problems.push({ path: at, message: there.problem })
  }
  if (problems.length > 0) return { ok: false, problems, missing: [] }
  if (missing.length > 0) return { ok: false, problems: [], missing }

  const place = helperPlace({
    configured: settings.helper,
    known: knownHelper,
    paths: changes.filter(hasVariants).map(({ path }) => path),
    entries: found.entries,
  })
  if (place !== undefined && 'problem' in place)
    return { ok: false, problems: [{ path: '/changes', message: place.problem }], missing: [] }

  const helperThere = place !== undefined && (found.entries.has(place.path) || place.path === knownHelper)
  const helperText = place && found.files.get(place.path)?.text
  if (place !== undefined && helperText !== undefined && isModule(helperText) !== (place.form === 'module'))
    return {
      ok: false,
      problems: [
        {
          path: '/changes',
          message: `need the helper in another form than ${place.path} has: pages and sources of one repository cannot share it`,
        },
      ],
      missing: [],
    }

  const variants = plan.variants.map((variant, index) => ({ ...variant, isControl: index === 0 }))
  const files: WrittenFile[] = []
  const manifest: Record<string, ManifestFile> = {}
  for (const [index, change] of changes.entries()) {
    const { path, action } = change
    const before = found.files.get(path)?.text ?? null
    const summary = summaryOf(change)
    if (action !== 'modify' || before === null) {
      const after = action === 'create' ? (change.content ?? '') : null
      files.push({ path, action, summary, before, after })
      manifest[path] =
        action === 'create' ? { action, content: after ?? '' } : { action: 'delete', content: before ?? '' }
      continue
    }
    const written = await writeVariants({
      path,
      text: before,
      experiment: { key, variants },
      edits: editsOf(change, before),
      ...(place !== undefined && hasVariants(change) ? { helper: helperReference(place, path) } : {}),
    })
    if (!written.ok) {
      for (const { edit, message, units } of written.problems)
        problems.push({
          path:
            edit === null || change.edits === undefined
              ? `/changes/${index}`
              : `/changes/${index}/edits/${edit}`,
          message:
            units === undefined || units.length === 0 ? message : `${message}; what fits: ${shown(units)}`,
        })
      continue
    }
    files.push({ path, action, summary, before, after: written.text })
    manifest[path] = { action: 'modify', regions: written.regions }
  }
  if (problems.length > 0) return { ok: false, problems, missing: [] }

  if (place !== undefined) {
    if (!helperThere)
      files.push({
        path: place.path,
        action: 'create',
        summary: 'Adds the helper that says which variant a visitor gets',
        before: null,
        after: helperSource(place.form, {
          exposures: settings.exposures,
          serverRendered:
            place.form === 'module' &&
            (await rendersOnServer(changes.filter(hasVariants).map(({ path }) => path))),
        }),
      })
    const types = place.path.replace(/[^/]+$/, HELPER_TYPES_FILE)
    if (
      !helperThere &&
      place.form === 'module' &&
      found.entries.has(TYPESCRIPT_FILE) &&
      !found.entries.has(types)
    )
      files.push({
        path: types,
        action: 'create',
        summary: "Adds the helper's types",
        before: null,
        after: helperTypes(),
      })
  }
  files.push({
    path: manifestPath(key),
    action: 'create',
    summary: 'Notes what the experiment changed, by which it is taken out again',
    before: null,
    after: writeManifest({ form: 1, experiment: key, helper: place?.path ?? null, files: manifest }),
  })
  return { ok: true, files }
}

/** Whether a helper is the one that sources import. */
export function isModule(helper: string): boolean {
  return /^export /m.test(helper)
}

/** As hosts take them. */
export function toWrites(files: readonly WrittenFile[]): FileWrite[] {
  return files
    .filter(({ before, after }) => before !== after)
    .map(({ path, after }) => ({ path, content: after === null ? null : Buffer.from(after, 'utf8') }))
}

/** What svc writes by itself is not for changes. */
export function ownProblem(path: string, helper: string | null | undefined): string | undefined {
  if (path === '.svc' || path.startsWith('.svc/')) return 'manifests are written by svc alone'
  return path === helper ? 'the helper is written by svc alone' : undefined
}

export function hasVariants({ edits }: Change): boolean {
  return edits?.some(({ variant }) => variant !== undefined) ?? false
}

/** A whole content stands for everything that is there. */
function editsOf({ content, edits }: Change, before: string): Edit[] {
  if (content !== undefined) return [{ find: before, replace: content }]
  return (edits ?? []).map(({ find, replace, variant }) => ({
    find,
    replace,
    ...(variant === undefined ? {} : { variant }),
  }))
}

/** What becomes of a file, in a few words. */
export function summaryOf({ action, content, edits }: Change): string {
  if (action === 'delete') return 'Deletes the file'
  if (action === 'create') return `Adds ${count(linesOf(content ?? ''), 'line')}`
  return edits === undefined ? 'Replaces the whole file' : `Makes ${count(edits.length, 'edit')}`
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}

function linesOf(content: string): number {
  if (content === '') return 0
  return (content.endsWith('\n') ? content.slice(0, -1) : content).split('\n').length
}

const SHOWN_UNITS = 5
const SHOWN_CHARACTERS = 200

function shown(units: readonly string[]): string {
  return units
    .slice(0, SHOWN_UNITS)
    .map((unit) => JSON.stringify([...unit].slice(0, SHOWN_CHARACTERS).join('')))
    .join(', ')
}
