import { holdsSecret, isSecretPath } from '../grounding/secrets.js'
import { SiteIndex } from '../grounding/site-index.js'
import { localeOf } from '../page/locales.js'
import type { AskedQuestion, Generator, RefineRequest, Revised, ShownFile } from '../port.js'
import { remarkOf } from '../refine/marked-notes.js'
import { candidateOfAnswer, parseRevision, pathsOf, REVISION, type RevisionAnswer } from './answer.js'
import { Budget } from './budget.js'
import { chatOf, type Endpoint } from './chat.js'
import { Conversation } from './conversation.js'
import { excerptAround, readExcerpts } from './excerpts.js'
import { moreFilesMessage, revisionMessages } from './prompt.js'
import { proposeIdeas } from './propose.js'

export { LlmError } from './llm-error.js'

export interface LlmConfig extends Endpoint {
  /** maximum tokens of one batch or revision, questions and answers together */
  maxTokens: number
  /** maximum seconds of one batch or revision */
  seconds: number
}

/**
 * Proposals by a language model, which pass the same checks as those of rules. If the budget ends after some
 * questions were answered, their proposals are kept.
 * @param now a clock in milliseconds
 * @param onQuestion called after each question, also of revisions
 * @throws LlmError if the model gave nothing that can be used
 */
export function languageModel(
  config: LlmConfig,
  now: () => number = () => performance.now(),
  onQuestion: (question: AskedQuestion) => void = () => {},
): Generator {
  const budgetOf = (signal?: AbortSignal): Budget =>
    new Budget({ tokens: config.maxTokens, seconds: config.seconds }, now, signal)
  return {
    propose: (request, context) => {
      const ask = chatOf(config, now, (question) => {
        context.record.questions.push(question)
        onQuestion(question)
      })
      return proposeIdeas(request, context, ask, budgetOf(context.signal))
    },
    refine: (request, signal) =>
      refine(new Conversation(chatOf(config, now, onQuestion), budgetOf(signal), 'refine'), request),
  }
}

const MAX_MORE_FILES = 5
const TOKENS_OF_MORE_FILES = 20_000
/** Of a longer file only what stands around the edits is shown. Characters. */
const MAX_WHOLE = 30_000

async function refine(conversation: Conversation, request: RefineRequest): Promise<Revised> {
  const { proposal, repository, vocabulary } = request
  const paths = [...new Set(proposal.files.map(({ path }) => path))]
  const files: ShownFile[] = []
  for (const path of paths) {
    const text = await repository.read(path)
    if (text === null) return { ok: false, message: `${path} is not there any more.` }
    if (isSecretPath(path) || holdsSecret(text))
      return { ok: false, message: `${path} holds a secret, which is shown to no model.` }
    const finds = proposal.files.flatMap((one) =>
      one.path === path ? one.edits.map(({ find }) => find) : [],
    )
    files.push(text.length > MAX_WHOLE ? excerptAround({ path, text }, finds, 'repair') : { path, text })
  }
  let answer = await conversation.ask(revisionMessages(request, files), REVISION, parseRevision)
  if (answer.read.length > 0) {
    const wanted = answer.read.slice(0, MAX_MORE_FILES)
    const more = await readExcerpts(repository, wanted, paths, TOKENS_OF_MORE_FILES)
    if (more.files.length > 0) {
      files.push(...more.files)
      answer = await conversation.goOn(moreFilesMessage(more), REVISION, parseRevision)
    }
  }
  return revisedBy(answer, request, files, vocabulary)
}

function revisedBy(
  { proposal: written, shares, message }: RevisionAnswer,
  { proposal }: RefineRequest,
  shown: readonly ShownFile[],
  vocabulary: RefineRequest['vocabulary'],
): Revised {
  const remark = message.replace(/\s+/g, ' ').trim().slice(0, 500)
  if (written === null) return { ok: false, message: remark || 'The model says that it cannot be done.' }
  if (pathsOf(written).some((path) => !shown.some((file) => file.path === path)))
    return { ok: false, message: 'The model wrote into a file that it was not shown.' }
  const candidate = candidateOfAnswer(written, vocabulary, shown, shares)
  const site = new SiteIndex()
  for (const { path, text } of shown) {
    const locale = localeOf(path, text)
    if (locale === null) site.add(path, text)
    else site.addTexts(locale)
  }
  const before = proposal.conversionTargets
  const keepsTargets = candidate.conversionTargets.length === 1 && before.length > 1
  // A target that is kept keeps what a person has set: its name, window, filters and metric.
  const targets = candidate.conversionTargets.map(
    (target) =>
      before.find(
        ({ eventName, direction }) => eventName === target.eventName && direction === target.direction,
      ) ?? target,
  )
  const others = before.filter(({ eventName }) => !targets.some((target) => target.eventName === eventName))
  return {
    ok: true,
    candidate: {
      ...candidate,
      surfaces: sameFiles(proposal.surfaces, candidate.surfaces) ? proposal.surfaces : candidate.surfaces,
      conversionTargets: keepsTargets ? [...targets, ...others].slice(0, 3) : targets,
      priority: proposal.priority,
      reasons: [...candidate.reasons, ...(remark === '' ? [] : [remarkOf(remark)])],
    },
    summary: remark,
    site,
  }
}

const sameFiles = (a: readonly { path: string }[], b: readonly { path: string }[]): boolean =>
  JSON.stringify([...new Set(a.map(({ path }) => path))].sort()) ===
  JSON.stringify([...new Set(b.map(({ path }) => path))].sort())
