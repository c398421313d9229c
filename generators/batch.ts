import { byScore, filterCandidates, refusalOf } from './filter.js'
import { TypeCheck } from './grounding/type-check.js'
import { type ValidationContext, validateCandidate } from './grounding/validate-candidate.js'
import { locatedMemory, locator } from './locate.js'
import {
  type AskedQuestion,
  BatchRecord,
  type Candidate,
  type DropReason,
  type FileRecord,
  type Generator,
  type IdeaRecord,
  type ProposeContext,
  type Refusal,
  type Request,
} from './port.js'
import { changedTexts } from './same-place.js'

export interface Batch {
  /** how many a generator came up with, before anything was dropped */
  generated: number
  proposals: Candidate[]
  dropped: { reason: DropReason; count: number }[]
  /** what became of each idea that has a name */
  ideas: IdeaRecord[]
  /** files that a model read, and why */
  files: FileRecord[]
  questions: AskedQuestion[]
}

export type BatchStep = 'propose' | 'ground' | 'filter'

/** At most this many of one rule are tried, since fewer are kept, and each costs milliseconds. */
const MAX_OF_A_RULE = 60

/**
 * One batch of proposals, from reading to ranking. Every candidate is returned or dropped with a reason.
 * @throws what reading throws, and the signal's reason if it is aborted
 */
export async function batchOf(
  generator: Generator,
  given: Request,
  {
    mayChange,
    signal,
    onStep,
  }: Pick<ValidationContext, 'mayChange'> & { signal?: AbortSignal; onStep?: (step: BatchStep) => void },
): Promise<Batch> {
  const record = new BatchRecord()
  const candidates: Candidate[] = []
  const read = lastRead((path) => given.repository.read(path))
  const request = await locatedMemory(given, read)
  const locate = locator(read)
  const located = async (candidate: Candidate): Promise<Candidate> => ({
    ...candidate,
    finds: candidate.finds ?? (await locate(changedTexts(candidate.files))),
  })
  // Rules write plain markup, which needs no check of types.
  const types = new TypeCheck(read)
  // A generator may rank what it has checked by a copy, but the files stay the same.
  const valid = new Set<Candidate['files']>()
  const validate = async (
    candidate: Candidate,
    context: Pick<ValidationContext, 'site' | 'namesUnits' | 'types'>,
  ): Promise<Refusal | null> => {
    if (valid.has(candidate.files)) return null
    const refusal = await validateCandidate(candidate, { read, mayChange, ...context })
    if (refusal === null) valid.add(candidate.files)
    return refusal
  }
  onStep?.('propose')
  const check: ProposeContext['check'] = async (candidate, site) =>
    refusalOf(await located(candidate), request) ??
    (await validate(candidate, { site, namesUnits: true, types }))
  for await (const candidate of generator.propose(request, { record, check, signal }))
    candidates.push(await located(candidate))
  onStep?.('ground')
  const grounded: Candidate[] = []
  const tried = new Map<string, number>()
  for (const candidate of [...candidates].sort(byScore)) {
    signal?.throwIfAborted()
    const { ruleId, name } = candidate
    // An idea that the workspace rules out is recorded with its reason below, and need not be tried.
    if (refusalOf(candidate, request) !== null) {
      grounded.push(candidate)
      continue
    }
    const before = tried.get(ruleId) ?? 0
    if (ruleId !== '' && before >= MAX_OF_A_RULE) {
      record.add('much_alike')
      continue
    }
    tried.set(ruleId, before + 1)
    const refusal = await validate(candidate, {})
    if (refusal === null) grounded.push(candidate)
    else record.drop(name, refusal)
    await new Promise((resolve) => setImmediate(resolve))
  }
  record.add('types_unchecked', types.unchecked.size)
  onStep?.('filter')
  const proposals = filterCandidates(grounded, request, record)
  const { ideas, files, questions } = record
  return {
    generated: candidates.length,
    proposals,
    dropped: record.dropped(),
    ideas: [...proposals.map(({ name }) => ({ name, ...STORED })), ...ideas],
    files,
    questions,
  }
}

const STORED = { outcome: 'stored', reason: null, message: null } as const

/** Candidates of one file often follow each other. */
function lastRead(read: ValidationContext['read']): ValidationContext['read'] {
  let known: { path: string; text: string | null } | null = null
  return async (path) => {
    if (known?.path !== path) known = { path, text: await read(path) }
    return known.text
  }
}
