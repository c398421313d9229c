import type { Candidate, Drops, Generator, Request } from '../port.js'
import { holdsSecret, isSecretPath } from '../secrets.js'
import { analyse, type Findings } from './analyse.js'
import { candidateOf } from './candidate.js'

/** What is known of a file's content, kept by the caller between batches so that an unchanged file is not read again. Values are plain data. */
export interface FindingsCache {
  get(key: string): Findings | undefined
  set(key: string, findings: Findings): unknown
}

/** Longer files are built, or data; parsing them holds up everything else. */
const LONGEST_FILE = 400_000

const PAGES = /\.(html?|vue|svelte|[jt]sx|m?js)$/i
const NOT_SHOWN =
  /(^|\/)(node_modules|vendor|bower_components|\.git|\.svc|coverage|dist|build|out|tests?|__tests__|__mocks__|spec|e2e|cypress|stories|storybook|fixtures|mocks|scripts)\/|\.(test|spec|stories|story|min|config|d)\.[^/]*$|(^|\/)svc-experiments\.js$/i

export const isPagePath = (path: string): boolean => PAGES.test(path) && !NOT_SHOWN.test(path)

/** Proposals by rules on what parsers read, without any model and without the network. */
export function heuristic(cache?: FindingsCache): Generator {
  return {
    async *propose(request: Request, drops: Drops, signal?: AbortSignal): AsyncGenerator<Candidate> {
      const classes = new Map<string, number>()
      const found: Findings['drafts'] = []
      for await (const { path, blobId, text } of request.repository.files()) {
        signal?.throwIfAborted()
        if (!isPagePath(path) || isSecretPath(path)) continue
        if (text.length > LONGEST_FILE) {
          drops.add('file_too_large')
          continue
        }
        const key = `${blobId} ${path} ${request.locale ?? ''}`
        const known = cache?.get(key)
        const findings = known ?? analyse(path, text, request.locale)
        if (findings === null) {
          drops.add('file_unreadable')
          continue
        }
        if (known === undefined) {
          cache?.set(key, findings)
          await new Promise((resolve) => setImmediate(resolve))
        }
        for (const one of findings.classes) classes.set(one, (classes.get(one) ?? 0) + 1)
        found.push(...findings.drafts)
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
    },
  }
}
