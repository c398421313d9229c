import { withReferencesOf } from '../../variants/helper/reference.js'
import { statePathIn } from '../../variants/helper/source.js'
import { isHelperFile, mentionsHelper } from '../../variants/helper-name.js'
import type { ConnectedRepository } from '../repositories/index.js'
import { buildCleanup, type Cleanup, type CleanupRequest } from './build-cleanup.js'
import { isModule } from './compose.js'
import { readFiles } from './read-files.js'
import type { WrittenFile } from './write-changes.js'

export interface RepairRequest extends CleanupRequest {
  /** Commit that lacks what the cleanup removed. */
  readonly today: string
}

/** Pages that are searched for the tag of the serving state. */
const MAX_PAGES = 100

/**
 * Puts back the helper, its types, imports and script tags that a cleanup removed before others used them.
 * Leaves everything else that has changed since. Rejects with RepositoryError.
 */
export async function buildRepair(
  repository: ConnectedRepository,
  { today, ...cleanup }: RepairRequest,
  signal?: AbortSignal,
): Promise<Cleanup> {
  const { host } = repository
  const { head: before, usedIn } = cleanup
  const isHelper = ({ path }: { readonly path: string }) => isHelperFile(path)
  const helpers = (await host.tree(before, signal)).filter(isHelper).map(({ path }) => path)
  // People may have moved it.
  const isThere = (await host.tree(today, signal)).some(isHelper)
  const changed = (await host.compare(before, today, signal)).files.map(({ path }) => path)
  const pages = changed.filter((path) => /\.html?$/i.test(path)).slice(0, MAX_PAGES)
  const paths = [...new Set([...usedIn, ...pages])]
  const old = await readFiles(host, before, [...helpers, ...paths], [], signal)
  const now = await readFiles(host, today, paths, [], signal)

  // With the cleanup as it would be now, only the references differ from today.
  const cleaned = new Map(
    (await buildCleanup(repository, cleanup, signal)).files.map(({ path, after }) => [path, after]),
  )

  const files: WrittenFile[] = []
  const conflicts: Cleanup['conflicts'][number][] = []
  const texts = helpers.flatMap((path) => old.files.get(path)?.text ?? [])
  const helper = texts.find((text) => statePathIn(text) !== undefined)
  const state = helper === undefined ? undefined : statePathIn(helper)
  if (!isThere)
    for (const path of helpers) {
      const after = old.files.get(path)?.text
      if (after === undefined) continue
      files.push({ path, action: 'create', summary: 'Puts the helper back', before: null, after })
    }
  for (const path of paths) {
    const from = cleaned.get(path) ?? old.files.get(path)?.text
    const text = now.files.get(path)?.text
    if (from === undefined || text === undefined) continue
    const lacks = (isIn: (text: string) => boolean) => isIn(from) && !isIn(text)
    const isTemplate = helper !== undefined && isModule(helper) && !usedIn.has(path)
    const lacksState = state !== undefined && lacks((each) => each.includes(state))
    if (isTemplate ? !lacksState : !usedIn.has(path) || !(lacks(mentionsHelper) || lacksState)) continue
    const after = withReferencesOf(from, text, state)
    if (after !== null)
      files.push({ path, action: 'modify', summary: 'Loads the helper again', before: text, after })
    else conflicts.push({ path, region: path, message: 'it has to load the helper again' })
  }
  return { files, conflicts }
}
