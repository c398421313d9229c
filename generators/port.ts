import type { PropertyFilter } from '../domain/funnel.js'
import type { Metric } from '../domain/statistics/index.js'
import type { DroppedIdea } from '../domain/text/labels.js'
import type { Edit } from '../variants/port.js'
import type { Locale } from './page/locales.js'

/** The request to a generator and its answer. The caller reads, stores and asks the workspace. */

/** A file of the repository at the commit of the batch. `blobId` names its content; `text` is UTF-8. */
export interface RepositoryFile {
  path: string
  blobId: string
  /** `null` if the caller did not want it */
  text: string | null
}

/** Whether a file's text is wanted. */
export type IsWanted = (file: Pick<RepositoryFile, 'path' | 'blobId'>) => boolean

/** A file as the model has read it. */
export interface ShownFile {
  path: string
  text: string
}

/** `files` yields each file once, in any order, with the texts wanted (default: all). `read` rereads one. */
export interface SiteFiles {
  files(isWanted?: IsWanted): AsyncIterable<RepositoryFile>
  read(path: string): Promise<string | null>
}

/** An event name that the workspace has received, and how often. */
export interface KnownEvent {
  eventName: string
  count: number
}

export interface IdeaSurface {
  path: string
  /** the place in the file: an element and its words */
  anchor: string | null
}

/** An experiment that was proposed, runs, or was decided. New ideas are compared with it. */
export interface PastIdea {
  mechanism: string | null
  surfaces: readonly IdeaSurface[]
  /** the texts of its alternatives */
  alternatives: readonly string[]
  /** the texts of the code that it changes */
  finds?: readonly ChangedText[]
  /** as of `Candidate`; left out if it was not kept */
  ruleId?: string
}

/** A text of the code that an idea changes. */
export interface ChangedText {
  path: string
  find: string
  /** the source of the smallest element around it, if the file was read */
  element?: string
  /** the file was read, and does not have it */
  isGone?: boolean
}

export interface Running extends PastIdea {
  key: string
}

export interface DismissedIdea extends PastIdea {
  /** `replaced` alone teaches nothing */
  reasons: readonly string[]
}

/** Persons who sent an event in the last 28 days. */
export interface EventFigure {
  eventName: string
  persons: number
}

/** A saved funnel over the last 28 days: persons who reached each step. */
export interface FunnelFigure {
  name: string
  steps: readonly EventFigure[]
}

/** An approved learning. `outcome` says what became of the alternatives. */
export interface Lesson extends PastIdea {
  key: string
  outcome: 'won' | 'lost' | 'unclear'
  /** figures, and what the team wrote about them */
  writeUp?: string
}

/** A note of the team, as "never touch pricing". With `surfaces` it holds for these alone. */
export interface TeamNote {
  text: string
  surfaces?: readonly IdeaSurface[]
  /** the texts of the code that its proposal changes */
  finds?: readonly ChangedText[]
}

export interface Request {
  repository: SiteFiles
  /** figures of the last 28 days; left out if they could not be read */
  figures?: { events: readonly EventFigure[]; funnels: readonly FunnelFigure[] }
  /** ideas that an earlier batch came up with and that could not be stored, with why */
  refusedBefore?: readonly { name: string; message: string }[]
  vocabulary: readonly KnownEvent[]
  notes: readonly TeamNote[]
  dismissals: readonly DismissedIdea[]
  lessons: readonly Lesson[]
  inFlight: readonly Running[]
  /** the subject of the batch, in the team's words */
  focus: string | null
  /** how many proposals are wanted: 1 to 20 */
  count: number
  /** language of pages whose own language is unclear, as `de`; `null`: such pages are skipped */
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

export interface CandidateTarget {
  eventName: string
  name: string
  direction: 'increase' | 'decrease'
  windowHours: number | null
  filters: readonly PropertyFilter[]
  /** @default whether the event happened */
  metric?: Metric
}

/** A proposal before it is stored. */
export interface Candidate {
  name: string
  mechanism: Mechanism
  /** the rule that found it, `''` if no rule did */
  ruleId: string
  hypothesis: string
  surfaces: readonly IdeaSurface[]
  /** words about the place, for notes and the focus: headings, labels, addresses */
  topics: readonly string[]
  files: readonly { path: string; edits: readonly Edit[] }[]
  /** the texts that its edits replace, with what stands around them; those of `files` by default */
  finds?: readonly ChangedText[]
  /** the control first */
  variants: readonly CandidateVariant[]
  /** the new texts of the alternatives; empty if no text changes */
  alternatives: readonly string[]
  conversionTargets: readonly CandidateTarget[]
  /** words that its texts take from files that it does not change */
  evidence?: readonly { path: string; says: string }[]
  /** set if the workspace has not received the event of the first target: what to send, and when */
  eventToSend: { eventName: string; when: string } | null
  priority: 'low' | 'medium' | 'high'
  /** higher is more worth running; comparable within one batch */
  score: number
  /** why it is proposed, for the reviewer */
  reasons: readonly string[]
}

/** Why an idea is dropped, or what is counted beside ideas: files, pages, and questions to a model. */
export type DropReason =
  | DroppedIdea
  | 'file_too_large'
  | 'file_unreadable'
  /** a question without an answer, or beyond the budget */
  | 'unanswered'
  | 'page_without_idea'
  /** a file whose types were not checked: no compiler is installed, or it had no time left */
  | 'types_unchecked'

/** Purpose of a question to a model. */
export type QuestionStep = 'choose' | 'propose' | 'repair' | 'review' | 'refine' | 'try'

/** A question to a model, and what it cost. Tokens are estimates if the endpoint reports none. */
export interface AskedQuestion {
  step: QuestionStep
  inputTokens: number
  outputTokens: number
  seconds: number
  outcome: 'answered' | 'cut' | 'failed'
}

/** Outcome of an idea. `reason` and `message` are null if it is kept. */
export interface IdeaRecord {
  name: string
  outcome: 'stored' | 'dropped'
  reason: string | null
  message: string | null
}

export interface FileRecord {
  path: string
  why: string
}

const MAX_IDEAS = 100
const MAX_MESSAGE = 500

/** How a batch came about: what was left out, by reason and by name, the files read and questions asked. */
export class BatchRecord {
  readonly ideas: IdeaRecord[] = []
  readonly files: FileRecord[] = []
  readonly questions: AskedQuestion[] = []
  readonly #counts = new Map<DropReason, number>()

  add(reason: DropReason, count = 1): void {
    if (count > 0) this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count)
  }

  /** Counts an idea that is left out, and keeps its name and why. */
  drop(name: string, { reason, message }: Refusal): void {
    this.add(reason)
    if (this.ideas.length < MAX_IDEAS)
      this.ideas.push({ name, outcome: 'dropped', reason, message: message.slice(0, MAX_MESSAGE) })
  }

  dropped(): { reason: DropReason; count: number }[] {
    return [...this.#counts]
      .map(([reason, count]) => ({ reason, count }))
      .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
  }
}

/** Why an idea cannot be stored, in a sentence for the model or a person. */
export interface Refusal {
  reason: DropReason
  message: string
}

/** Links and imports of a site's files, which an edit of another file may do as well. */
export interface KnownSite {
  /** The addresses inside of the site that an edit may link to. */
  readonly links: readonly string[]
  /** Whether a file of the site links to an address, a page answers there, or a component has the id. */
  hasLink(path: string, value: string): boolean
  /** Whether a file prints the number or address of a link that calls or writes. */
  spells(address: string): boolean
  /** The components that a text imports, whether it shows them or not, and other files of the site show. */
  shownImports(path: string, text: string): string[]
  /** The names of imports in a text that other files import, too, and give links as addresses. */
  addressNames(path: string, text: string): string[]
  /**
   * Whether a file gives a component this attribute in the same words, as `asChild` or `size="lg"`, or in the
   * same code, as `{user.name}`.
   */
  hasAttribute(tag: string, name: string, value: string | null): boolean
  /** Whether a file gives a component an attribute of this name. */
  hasProperty(tag: string, name: string): boolean
  /** Properties that the components of a file read of objects which it gives them under the same name. */
  readsBelow(path: string, text: string): string[]
  /** The names of imports in a text, and whether they are components or pure and imported elsewhere. */
  namesOf(path: string, text: string): { local: string; isKnown: boolean }[]
  /** The texts of its languages by key. */
  readonly texts: readonly Locale[]
  /** Whether templates of Vue show texts by `$t('key')`, a name that all of them have. */
  readonly hasTemplateTexts: boolean
}

export interface ProposeContext {
  record: BatchRecord
  /** Whether a candidate could be stored: it stands on the code, and the workspace has nothing against it. */
  check(candidate: Candidate, site?: KnownSite): Promise<Refusal | null>
  signal?: AbortSignal | undefined
}

/** A stored proposal, as far as a revision may change it. Facts that were not stored are left out. */
export interface Proposal
  extends Pick<
      Candidate,
      'name' | 'hypothesis' | 'surfaces' | 'files' | 'variants' | 'conversionTargets' | 'priority'
    >,
    Partial<Pick<Candidate, 'ruleId' | 'topics' | 'reasons' | 'eventToSend' | 'evidence'>> {
  mechanism: string | null
}

export interface RefineRequest extends Omit<Request, 'focus' | 'count'> {
  proposal: Proposal
  /** the reviewer's words, 1 to 4,000 characters */
  instructions: string
}

/** A candidate whose mechanism a person may have named. */
export interface RevisedCandidate extends Omit<Candidate, 'mechanism'> {
  mechanism: string | null
}

/**
 * `summary` is a line about what changed, `site` what other files link to and import. `message` names what is
 * not understood or possible, and what is.
 */
export type Revised =
  | { ok: true; candidate: RevisedCandidate; summary: string; site?: KnownSite }
  | { ok: false; message: string }

/**
 * Finds candidates, and rewrites one. It yields to the event loop often enough that the caller can work or
 * stop it.
 * @throws what reading throws, and the signal's reason if it is aborted
 */
export interface Generator {
  propose(request: Request, context: ProposeContext): AsyncGenerator<Candidate>
  refine(request: RefineRequest, signal?: AbortSignal): Promise<Revised>
}
