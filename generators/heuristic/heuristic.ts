import type { Candidate, Drops, Generator, Request } from '../port.js'
import { holdsSecret, isSecretPath } from '../secrets.js'
import { isPagePath, mayShow, rankOf } from '../surface-rank.js'
import { analyse, type Findings } from './analyse.js'
import { Around, type Known } from './around.js'
import { candidateOf } from './candidate.js'
import { localeOf, placeOf } from './locales.js'
import { refineByRules } from './refine/refine.js'

/** What is known of a file's content, kept by the caller between batches so that an unchanged file is not read again. Values are plain data. */
export interface FindingsCache {
  get(key: string): Findings | undefined
  set(key: string, findings: Findings): unknown
}

/** Longer files are built, or data; parsing them holds up everything else. */
const LONGEST_FILE = 400_000

/** Whether a generator looks at a file of this path at all; others need not be read, nor given. */
export const isReadPath = (path: string): boolean =>
  (isPagePath(path) || placeOf(path) !== null) && !isSecretPath(path)

/** Proposals by rules on what parsers read, without any model and without the network. */
export function heuristic(cache?: FindingsCache): Generator {
  const propose: Generator['propose'] = (request, drops, signal) => candidates(request, drops, cache, signal)
  return { propose, refine: (request, signal) => refineByRules(request, propose, signal) }
}

/** Files that are read once more with what the others say; the likeliest surfaces come first. */
const MOST_READ_AGAIN = 1_500

interface Asking {
  path: string
  blobId: string
  first: Findings
}

async function* candidates(
  request: Request,
  drops: Drops,
  cache?: FindingsCache,
  signal?: AbortSignal,
): AsyncGenerator<Candidate> {
  const around = new Around()
  const found: Findings['drafts'] = []
  const take = ({ drafts, ambiguous }: Findings): void => {
    found.push(...drafts)
    for (let left = ambiguous; left > 0; left--) drops.add('ambiguous')
  }
  const findings = async (
    { path, blobId }: { path: string; blobId: string },
    locale: string | null,
    text: string,
    known: Known | null,
  ): Promise<Findings | null> => {
    const key = `${blobId} ${path} ${locale ?? ''} ${known?.key ?? ''}`
    const kept = cache?.get(key)
    if (kept !== undefined) return kept
    const own = analyse(path, text, locale, known)
    if (own !== null) cache?.set(key, own)
    await new Promise((resolve) => setImmediate(resolve))
    return own
  }
  const again: Asking[] = []
  for await (const { path, blobId, text } of request.repository.files()) {
    signal?.throwIfAborted()
    if (!isReadPath(path)) continue
    const locale = localeOf(path, text)
    if (locale !== null) around.addLocale(locale)
    if (!isPagePath(path) || !mayShow(path, text)) continue
    if (text.length > LONGEST_FILE) {
      drops.add('file_too_large')
      continue
    }
    const own = await findings({ path, blobId }, request.locale, text, null)
    if (own === null) {
      drops.add('file_unreadable')
      continue
    }
    around.add(path, own)
    around.addRoute(path)
    if (own.isOpen || own.asks !== null) again.push({ path, blobId, first: own })
    else take(own)
  }
  const known = around.known()
  const ranked = again.sort((a, b) => rankOf(b.path) - rankOf(a.path) || (a.path < b.path ? -1 : 1))
  for (const [index, asking] of ranked.entries()) {
    signal?.throwIfAborted()
    const { first, path } = asking
    const locale = first.isOpen ? around.mainLanguage() : request.locale
    const useful =
      (first.asks === 'texts' && known.texts.main.length > 0) || (first.asks === 'site' && known.hasSite)
    if ((!useful && (!first.isOpen || locale === null)) || index >= MOST_READ_AGAIN) {
      take(first)
      continue
    }
    const text = await request.repository.read(path)
    take((text === null ? null : await findings(asking, locale, text, known)) ?? first)
  }
  const taken = new Set<string>()
  for (const draft of found) {
    if (draft.needsClass !== undefined) {
      // Of several quieter classes the first that the site has is enough.
      const place = `${draft.path} ${draft.anchor}`
      if (!around.classes.has(draft.needsClass) || taken.has(place)) continue
      taken.add(place)
    }
    if (draft.edits.some(({ find, replace }) => holdsSecret(find) || holdsSecret(replace))) {
      drops.add('secret')
      continue
    }
    yield candidateOf(draft, request.vocabulary)
  }
}
