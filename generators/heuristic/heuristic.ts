import type { Candidate, Drops, Generator, Request } from '../port.js'
import { holdsSecret, isSecretPath } from '../secrets.js'
import { isPagePath } from '../surface-rank.js'
import { analyse, type Findings } from './analyse.js'
import { candidateOf } from './candidate.js'
import { refineByRules } from './refine/refine.js'

/** What is known of a file's content, kept by the caller between batches so that an unchanged file is not read again. Values are plain data. */
export interface FindingsCache {
  get(key: string): Findings | undefined
  set(key: string, findings: Findings): unknown
}

/** Longer files are built, or data; parsing them holds up everything else. */
const LONGEST_FILE = 400_000

/** Proposals by rules on what parsers read, without any model and without the network. */
export function heuristic(cache?: FindingsCache): Generator {
  const propose: Generator['propose'] = (request, drops, signal) => candidates(request, drops, cache, signal)
  return { propose, refine: (request, signal) => refineByRules(request, propose, signal) }
}

async function* candidates(
  request: Request,
  drops: Drops,
  cache?: FindingsCache,
  signal?: AbortSignal,
): AsyncGenerator<Candidate> {
  const classes = new Set<string>()
  const found: Findings['drafts'] = []
  const take = ({ drafts, ambiguous }: Findings): void => {
    found.push(...drafts)
    for (let left = ambiguous; left > 0; left--) drops.add('ambiguous')
  }
  const languages = new Map<string, number>()
  const open: { path: string; blobId: string; first: Findings }[] = []
  const findings = async (
    path: string,
    blobId: string,
    locale: string | null,
    text: string,
  ): Promise<Findings | null> => {
    const key = `${blobId} ${path} ${locale ?? ''}`
    const known = cache?.get(key)
    if (known !== undefined) return known
    const own = analyse(path, text, locale)
    if (own !== null) cache?.set(key, own)
    await new Promise((resolve) => setImmediate(resolve))
    return own
  }
  for await (const { path, blobId, text } of request.repository.files()) {
    signal?.throwIfAborted()
    if (!isPagePath(path) || isSecretPath(path)) continue
    if (text.length > LONGEST_FILE) {
      drops.add('file_too_large')
      continue
    }
    const own = await findings(path, blobId, request.locale, text)
    if (own === null) {
      drops.add('file_unreadable')
      continue
    }
    for (const one of own.classes) classes.add(one)
    if (own.language !== null) languages.set(own.language, (languages.get(own.language) ?? 0) + 1)
    if (own.isOpen) open.push({ path, blobId, first: own })
    else take(own)
  }
  const locale = mainLanguage(languages)
  for (const { path, blobId, first } of open) {
    signal?.throwIfAborted()
    const text = locale === null ? null : await request.repository.read(path)
    const own = text === null ? null : await findings(path, blobId, locale, text)
    take(own ?? first)
  }
  const taken = new Set<string>()
  for (const draft of found) {
    if (draft.needsClass !== undefined) {
      // Of several quieter classes the first that the site has is enough.
      const place = `${draft.path} ${draft.anchor}`
      if (!classes.has(draft.needsClass) || taken.has(place)) continue
      taken.add(place)
    }
    if (draft.edits.some(({ find, replace }) => holdsSecret(find) || holdsSecret(replace))) {
      drops.add('secret')
      continue
    }
    yield candidateOf(draft, request.vocabulary)
  }
}

/** The language of nearly all files that say one; files with few words are taken to be in it. */
function mainLanguage(languages: ReadonlyMap<string, number>): string | null {
  const [first, second] = [...languages].sort((a, b) => b[1] - a[1])
  return first !== undefined && first[1] >= 4 * (second?.[1] ?? 0) ? first[0] : null
}
