import type { PropertyFilter } from '../domain/funnel.js'
import type { Metric } from '../domain/statistics/index.js'
import type { Edit } from '../variants/port.js'

/** What a generator is asked and what it answers. Everything here is pure: reading, storing and asking the workspace is the caller's. */

/** A file of the repository at the commit that is proposed for. `blobId` names its content; texts are decoded as UTF-8. */
export interface SourceFile {
  path: string
  blobId: string
  /** `null` where the one who asked did not need it */
  text: string | null
}

/** Whether a file's text is wanted: what is known of its content already costs no reading. */
export type IsWanted = (file: Pick<SourceFile, 'path' | 'blobId'>) => boolean

/** `files` gives each file once, in any order, left out which are wanted: all with their texts; `read` gives one again, `null` where there is none. */
export interface Repository {
  files(isWanted?: IsWanted): AsyncIterable<SourceFile>
  read(path: string): Promise<string | null>
}

/** An event name that the workspace has received, and how often. */
export interface KnownEvent {
  eventName: string
  count: number
}

export interface Surface {
  path: string
  /** which place of the file: an element and its words */
  anchor: string | null
}

/** What is known of an experiment that was proposed, runs or has been decided, as far as ideas are compared with it. */
export interface PastIdea {
  mechanism: string | null
  surfaces: readonly Surface[]
  /** what its alternatives say, one text a variant */
  alternatives: readonly string[]
  /** as of `Candidate`; left out if it was not kept */
  ruleId?: string
}

export interface Running extends PastIdea {
  key: string
}

export interface Dismissal extends PastIdea {
  /** `replaced` alone teaches nothing */
  reasons: readonly string[]
}

/** An approved learning. `outcome` says what became of the alternatives. */
export interface Lesson extends PastIdea {
  key: string
  outcome: 'won' | 'lost' | 'unclear'
}

/** What the team has written down, as "never touch pricing". With surfaces it speaks of these alone. */
export interface TeamNote {
  text: string
  surfaces?: readonly Surface[]
}

export interface Request {
  repository: Repository
  vocabulary: readonly KnownEvent[]
  notes: readonly TeamNote[]
  dismissals: readonly Dismissal[]
  lessons: readonly Lesson[]
  inFlight: readonly Running[]
  /** what the batch should be about, in the team's words */
  focus: string | null
  /** how many proposals are wanted: 1 to 20 */
  count: number
  /** the day of the batch, as `YYYY-MM-DD`; left out: nothing is said that holds until some day */
  today?: string
  /** language of texts whose own language cannot be told, as `de`; `null`: these are left alone */
  locale: string | null
}

export const MECHANISMS = [
  'clarity',
  'specificity',
  'friction',
  'urgency',
  'proof',
  'risk reversal',
  'default choice',
  'order',
] as const
export type Mechanism = (typeof MECHANISMS)[number]

export interface CandidateVariant {
  key: string
  displayName: string
  trafficSplit: number
  isControl: boolean
}

export interface Target {
  eventName: string
  name: string
  direction: 'increase' | 'decrease'
  windowHours: number | null
  filters: readonly PropertyFilter[]
  /** left out: whether the event happened */
  metric?: Metric
}

/** A proposal before it is stored. */
export interface Candidate {
  name: string
  mechanism: Mechanism
  /** the rule that found it, `''` if no rule did */
  ruleId: string
  hypothesis: string
  surfaces: readonly Surface[]
  /** what the place is about, for notes and the focus: headings, labels, addresses */
  topics: readonly string[]
  files: readonly { path: string; edits: readonly Edit[] }[]
  variants: readonly CandidateVariant[]
  /** what each alternative says that the control does not; empty where no text changes */
  alternatives: readonly string[]
  conversionTargets: readonly Target[]
  /** what it says that another file than those it changes states, word for word */
  evidence?: readonly { path: string; says: string }[]
  /** set where the vocabulary has no event for the first target: what the site should send, and when */
  eventToSend: { eventName: string; when: string } | null
  priority: 'low' | 'medium' | 'high'
  /** higher is more worth running; comparable within one batch */
  score: number
  /** why it is proposed, for whoever reviews it */
  reasons: readonly string[]
}

export type DropReason =
  | 'file_too_large'
  | 'file_unreadable'
  | 'secret'
  /** it stands in a part that no page and no other file names */
  | 'never_shown'
  /** its text stands several times, and nothing around it tells which is meant */
  | 'ambiguous'
  | 'path_not_allowed'
  | 'file_missing'
  | 'not_grounded'
  /** it states a figure or a claim that the file does not */
  | 'invented'
  /** it presses, shames or feigns scarcity */
  | 'dark_pattern'
  /** it brings in code that may run or fetch, or takes away what assistive technology reads */
  | 'unsafe'
  /** a model's answer had not the form that was asked for */
  | 'malformed'
  /** a question to a model that got no answer, or for which the budget had no room */
  | 'unanswered'
  | 'in_flight'
  | 'dismissed'
  | 'lesson_lost'
  | 'lesson_known'
  | 'note'
  | 'outside_focus'
  | 'duplicate'
  /** a page on which no rule found anything: a language model may */
  | 'page_without_idea'
  /** the same rule found it in better places */
  | 'much_alike'
  | 'beyond_count'

/** Counts what was left out, by reason. */
export class Drops {
  readonly #counts = new Map<DropReason, number>()

  add(reason: DropReason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1)
  }

  list(): { reason: DropReason; count: number }[] {
    return [...this.#counts]
      .map(([reason, count]) => ({ reason, count }))
      .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
  }
}

/** A proposal as it is kept, with what of it a revision may change. */
export interface Proposal {
  name: string
  mechanism: string | null
  hypothesis: string
  surfaces: readonly Surface[]
  files: readonly { path: string; edits: readonly Edit[] }[]
  /** the control first */
  variants: readonly CandidateVariant[]
  conversionTargets: readonly Target[]
  priority: 'low' | 'medium' | 'high'
  /** what its generator knew beside it, as of `Candidate`; left out if it was not kept */
  ruleId?: string
  topics?: readonly string[]
  reasons?: readonly string[]
  eventToSend?: Candidate['eventToSend']
  evidence?: Candidate['evidence']
}

export interface RefineRequest extends Omit<Request, 'focus' | 'count'> {
  proposal: Proposal
  /** what is to become of it, in the reviewer's words: 1 to 4,000 characters */
  instructions: string
}

/** A candidate whose mechanism may have been named by a person. */
export interface Revision extends Omit<Candidate, 'mechanism'> {
  mechanism: string | null
}

/** `summary` says in a line what was changed. `message` says what is not understood or cannot be done, and what could be. */
export type Revised = { ok: true; candidate: Revision; summary: string } | { ok: false; message: string }

/**
 * A way to find candidates, and to rewrite one. It yields often enough that whoever runs it can do other things, or stop it. Both throw what reading
 * throws, and the signal's reason when it is aborted.
 */
export interface Generator {
  propose(request: Request, drops: Drops, signal?: AbortSignal): AsyncGenerator<Candidate>
  refine(request: RefineRequest, signal?: AbortSignal): Promise<Revised>
}
