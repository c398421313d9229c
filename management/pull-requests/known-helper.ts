import type { RepositoryHost, TreeEntry } from '../../repositories/port.js'
import { readManifest } from '../../variants/manifest.js'
import { readTexts } from './read-files.js'

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
