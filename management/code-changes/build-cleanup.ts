import { setImmediate as turn } from 'node:timers/promises'
import { RepositoryError } from '../../repositories/errors.js'
import { locateFiles } from '../../repositories/locate.js'
import { folderOf } from '../../repositories/names.js'
import type { TreeEntry } from '../../repositories/port.js'
import { holdsKey, showsExperiment } from '../../variants/find-region.js'
import { statePathIn } from '../../variants/helper/source.js'
import {
  isComponentFile,
  isHelperFile,
  mentionsComponent,
  mentionsHelper,
} from '../../variants/helper-name.js'
import { withoutStateTag } from '../../variants/html/script-tag.js'
import { manifestPath, readManifest } from '../../variants/manifest.js'
import type { Conflict, Manifest } from '../../variants/port.js'
import { permanent } from '../jobs/failure.js'
import type { ConnectedRepository } from '../repositories/index.js'
import { helpersOf } from './helper-location.js'
import { type Found, readFiles } from './read-files.js'
import { cleanUpOnThread } from './variant-writer.js'
import type { WrittenFile } from './write-changes.js'

export interface CleanupRequest {
  readonly key: string
  /** Key of the variant to keep. Null removes all. */
  readonly shipped: string | null
  /** Commit of the experiment's own pull request. */
  readonly written: string
  /** Commit to remove its code from. */
  readonly head: string
  /**
   * Files in which other experiments in flight use the helper, merged or not. Their branches lack what they
   * found in the base branch, so the helper and these files' references to it have to stay.
   */
  readonly usedIn: ReadonlySet<string>
}

export interface Cleanup {
  readonly files: readonly WrittenFile[]
  readonly conflicts: readonly (Conflict & { readonly path: string })[]
}

/** Files searched for uses of the helper. A remote host is asked for each one over the network. */
const MAX_SEARCHED = { local: Number.POSITIVE_INFINITY, github: 1_000 } as const
const MAX_SOURCE_BYTES = 1024 * 1024
const SOURCES = /\.(html?|[cm]?[jt]s|[jt]sx|vue|svelte|astro|mdx?|php|ejs|hbs|njk|liquid|erb|twig)$/i
/** Files searched before other work gets its turn. */
const FILES_PER_TURN = 100

/**
 * Removes an experiment from a commit, also from files that were moved. Rejects with RepositoryError, or with
 * JobError if no manifest tells what the experiment wrote.
 */
export async function buildCleanup(
  repository: ConnectedRepository,
  request: CleanupRequest,
  signal?: AbortSignal,
): Promise<Cleanup> {
  const { key, shipped, head, usedIn } = request
  const { host } = repository
  const own = manifestPath(key)
  const today = await readFiles(host, head, [own], [], signal)
  const atFirst = (await readIfThere(host, request.written, own, signal)) ?? today
  const written = atFirst.commit
  const manifest = manifestOf([today.files.get(own)?.text, atFirst.files.get(own)?.text], key)
  const paths = Object.keys(manifest.files)
  // The manifest and the helper may have been moved as well.
  const ownPaths = [own, ...(manifest.helper === null ? [] : [manifest.helper])]
  const before = await readFiles(host, written, [...paths, ...ownPaths], [], signal)
  const located = await locateFiles(
    host,
    {
      from: written,
      to: head,
      files: [...paths, ...ownPaths].map((path) => ({ path, blob: before.files.get(path)?.blob ?? null })),
    },
    signal,
  )
  const places = new Map(located.map((file) => [file.path, file.movedTo ?? file.path]))
  const placeOf = (path: string) => places.get(path) ?? path
  const now = await readFiles(host, head, [...places.values()], [], signal)

  const files: WrittenFile[] = []
  const conflicts: (Conflict & { path: string })[] = []
  for (const [path, file] of Object.entries(manifest.files)) {
    const place = placeOf(path)
    const there = now.files.get(place)
    if (there?.problem !== undefined) {
      conflicts.push({
        path: place,
        region: place,
        message: `the file ${there.problem}: remove the experiment by hand`,
      })
      continue
    }
    const text = there?.text ?? null
    const base = before.files.get(path)?.text
    const cleaned = await cleanUpOnThread({
      path: place,
      text,
      file,
      experiment: key,
      shipped,
      keepHelper: usedIn.has(path) || usedIn.has(place),
      ...(base === undefined ? {} : { base }),
    })
    conflicts.push(...cleaned.conflicts.map((conflict) => ({ ...conflict, path: place })))
    if (cleaned.conflicts.length === 0 && showsExperiment(cleaned.text ?? '', key))
      conflicts.push(leftIn(place))
    if (cleaned.text !== text) files.push(writtenFile(place, text, cleaned.text))
  }
  const copies = await cleanCopies(
    repository,
    { ...request, written, manifest, known: new Set(places.values()) },
    signal,
  )
  files.push(...copies.files)
  conflicts.push(...copies.conflicts)
  const ownToday = now.files.get(placeOf(own))?.text
  if (ownToday !== undefined) files.push(writtenFile(placeOf(own), ownToday, null))
  if (manifest.helper === null || usedIn.size > 0) return { files, conflicts }
  const helper = { path: placeOf(manifest.helper), named: manifest.helper }
  return {
    files: await withoutUnusedHelper(repository, head, helper, placeOf(own), files, signal),
    conflicts,
  }
}

/** Undefined if git has collected the commit: after a squash and without its branch, nothing leads to it. */
async function readIfThere(
  host: ConnectedRepository['host'],
  commit: string,
  path: string,
  signal?: AbortSignal,
): Promise<Found | undefined> {
  try {
    return await readFiles(host, commit, [path], [], signal)
  } catch (error) {
    if (error instanceof RepositoryError && error.code === 'gone') return undefined
    throw error
  }
}

const leftIn = (path: string): Conflict & { readonly path: string } => ({
  path,
  region: path,
  message: 'it has more code of the experiment, which people copied and changed',
})

/** Removes code of the experiment that people copied into other files. Names what they changed in it. */
async function cleanCopies(
  { host, settings }: ConnectedRepository,
  request: CleanupRequest & { readonly manifest: Manifest; readonly known: ReadonlySet<string> },
  signal?: AbortSignal,
): Promise<Cleanup> {
  const { key, shipped, written, head, usedIn, manifest, known } = request
  const files: WrittenFile[] = []
  const conflicts: (Conflict & { path: string })[] = []
  const regions = Object.values(manifest.files)
    .flatMap((file) => (file.action === 'modify' ? file.regions : []))
    .filter((region) => holdsKey(region, key))
  if (regions.length === 0) return { files, conflicts }
  const compared = await host.compare(written, head, signal)
  const changed = new Set(compared.files.map(({ path }) => path))
  const candidates = (await host.tree(head, signal)).filter(
    (entry) => isSource(entry) && !known.has(entry.path) && (!compared.complete || changed.has(entry.path)),
  )
  for await (const [path, text] of textsOf(host, candidates.slice(0, MAX_SEARCHED[settings.kind]), signal)) {
    if (!showsExperiment(text, key)) continue
    const file = { action: 'modify' as const, regions }
    const keepHelper = usedIn.has(path)
    const cleaned = await cleanUpOnThread({ path, text, file, experiment: key, shipped, keepHelper })
    if (cleaned.text !== text) files.push(writtenFile(path, text, cleaned.text))
    if (showsExperiment(cleaned.text ?? '', key)) conflicts.push(leftIn(path))
  }
  return { files, conflicts }
}

function manifestOf(texts: readonly (string | undefined)[], key: string): Manifest {
  let reason = 'its manifest was deleted'
  for (const text of texts) {
    if (text === undefined) continue
    const read = readManifest(text, key)
    if (read.ok) return read.manifest
    reason = read.message
  }
  throw permanent(`its code has to be removed by hand, because ${reason}`)
}

function writtenFile(path: string, before: string | null, after: string | null): WrittenFile {
  if (after === null) return { path, action: 'delete', summary: 'Deletes the file', before, after }
  if (before === null) return { path, action: 'create', summary: 'Restores the file', before, after }
  return { path, action: 'modify', summary: 'Removes the experiment', before, after }
}

/**
 * Deletes the helper, its types and the tags of the serving state if no file will use the helper. Deletes the
 * component if no file will use that.
 *
 * @param helper `named`: its path in the manifests
 */
async function withoutUnusedHelper(
  { host, settings }: ConnectedRepository,
  head: string,
  helper: { readonly path: string; readonly named: string },
  ownManifest: string,
  files: readonly WrittenFile[],
  signal?: AbortSignal,
): Promise<readonly WrittenFile[]> {
  const tree = await host.tree(head, signal)
  const isOwn = ({ path }: TreeEntry): boolean =>
    path === helper.path || (isHelperFile(path) && folderOf(path) === folderOf(helper.path))
  const own = tree.filter(isOwn).map(({ path }) => path)
  const read = await readFiles(host, head, own, [ownManifest], signal)
  const helperText = read.files.get(helper.path)?.text
  if (helperText === undefined) return files
  const others = await helpersOf(host, read.entries, ownManifest, signal)
  if (others.some((path) => path === helper.named || path === helper.path)) return files
  const rewritten = new Map(files.map((file) => [file.path, file.after]))
  const after = [...rewritten.values()].filter((text) => text !== null)
  const hasComponent = own.some(isComponentFile)
  const isKept = (text: string): boolean => mentionsHelper(text) && (!hasComponent || mentionsComponent(text))
  if (after.some(isKept)) return files
  let isUsed = after.some(mentionsHelper)
  const sources = tree.filter((entry) => isSource(entry) && !isOwn(entry) && !rewritten.has(entry.path))
  const isTooMuch = sources.length > MAX_SEARCHED[settings.kind]
  const candidates = isTooMuch ? sources.filter(isPage).slice(0, MAX_SEARCHED[settings.kind]) : sources
  const state = statePathIn(helperText)
  const pages: WrittenFile[] = []
  let looked = 0
  for await (const [path, text] of textsOf(host, candidates, signal)) {
    if (!isTooMuch && isKept(text)) return files
    isUsed ||= !isTooMuch && mentionsHelper(text)
    const after = state === undefined || !isPage({ path }) ? text : withoutStateTag(text, state)
    if (after !== text) pages.push(writtenFile(path, text, after))
    if (++looked % FILES_PER_TURN === 0) await turn()
  }
  const deleted = [...read.files].flatMap(([path, { text }]) =>
    text === undefined || (isUsed && !isComponentFile(path)) ? [] : [writtenFile(path, text, null)],
  )
  if (isUsed) return [...files, ...deleted]
  return [
    ...files.map((file) =>
      state === undefined || file.after === null || !isPage(file)
        ? file
        : { ...file, after: withoutStateTag(file.after, state) },
    ),
    ...pages,
    ...deleted,
  ]
}

/** The texts of files by their paths; those that cannot be read are left out. */
async function* textsOf(
  host: ConnectedRepository['host'],
  entries: readonly TreeEntry[],
  signal?: AbortSignal,
): AsyncGenerator<[string, string]> {
  const paths = new Map<string, string[]>()
  for (const { id, path } of entries) paths.set(id, [...(paths.get(id) ?? []), path])
  for await (const blob of host.readBlobs(paths.keys(), { maxBlobBytes: MAX_SOURCE_BYTES, signal })) {
    if (blob.state !== 'read') continue
    const text = Buffer.from(blob.content).toString('utf8')
    for (const path of paths.get(blob.id) ?? []) yield [path, text]
  }
}

const isPage = ({ path }: { readonly path: string }): boolean => /\.html?$/i.test(path)

function isSource({ kind, path, size }: TreeEntry): boolean {
  const isFile = kind === 'file' || kind === 'executable'
  return isFile && SOURCES.test(path) && (size ?? 0) <= MAX_SOURCE_BYTES && !path.includes('node_modules/')
}
