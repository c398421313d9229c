/** The worker thread that generates proposals. Only it loads the generators and their parsers. */
import { parentPort } from 'node:worker_threads'
import { type Batch, batchOf } from '../../../generators/batch.js'
import { languageModel } from '../../../generators/llm/llm.js'
import { isSurveyPath } from '../../../generators/llm/survey.js'
import type { Generator, Revised } from '../../../generators/port.js'
import { refineCandidate } from '../../../generators/refine/refine-candidate.js'
import { ruleGenerator } from '../../../generators/rule-generator.js'
import { isRulesPath } from '../../../generators/rules/site.js'
import { LruCache } from '../../../runtime/concurrency/lru-cache.js'
import { errorMessage } from '../../../runtime/errors.js'
import type { GeneratorSettings } from '../../services.js'
import { Code } from './code.js'
import type {
  BatchTask,
  CodeFile,
  GenerationStep,
  GenerationTask,
  RevisionTask,
  WorkerRequest,
  WorkerResponse,
} from './messages.js'
import { mayChange } from './rules.js'

const TEXTS_BYTES = 64 * 1024 * 1024
/** Minimum time between two reports of the same step. Milliseconds. */
const TELL_MS = 250

/** Texts by blob id: an unchanged file is not read again, whichever commit or workspace it belongs to. */
const texts = new LruCache<string>(TEXTS_BYTES)

interface Work {
  readonly task: GenerationTask
  readonly files: CodeFile[]
  readonly abort: AbortController
  readonly asked: Map<number, Asked>
}
interface Asked {
  resolve(contents: readonly (Uint8Array | null)[]): void
  reject(error: Error): void
}

const works = new Map<number, Work>()
let asks = 0

parentPort?.on('message', (request: WorkerRequest) => {
  const { id } = request
  if (request.kind === 'begin') {
    works.set(id, { task: request.task, files: [], abort: new AbortController(), asked: new Map() })
    return
  }
  const work = works.get(id)
  if (work === undefined) return
  if (request.kind === 'files') {
    for (const file of request.files) work.files.push(file)
    if (request.last) void carryOut(id, work)
  } else if (request.kind === 'abort') {
    work.abort.abort()
    for (const { reject } of work.asked.values()) reject(new Error('it was told to stop'))
  } else {
    const asked = work.asked.get(request.ask)
    work.asked.delete(request.ask)
    if (request.kind === 'blobs') asked?.resolve(request.contents)
    else asked?.reject(new Error('the repository could not be read'))
  }
})

const post = (response: WorkerResponse): void => parentPort?.postMessage(response)

async function carryOut(id: number, work: Work): Promise<void> {
  const { signal } = work.abort
  try {
    signal.throwIfAborted()
    post({ id, kind: 'done', value: await runTask(id, work) })
  } catch (error) {
    post({ id, kind: 'failed', message: errorMessage(error), aborted: signal.aborted })
  } finally {
    works.delete(id)
  }
}

function runTask(id: number, work: Work): Promise<Batch | Revised> {
  const { task } = work
  return task.kind === 'batch' ? generateBatch(id, work, task) : revise(id, work, task)
}

function revise(id: number, work: Work, { generator, request, rules }: RevisionTask): Promise<Revised> {
  const code = codeOf(id, work, generator, () => {})
  return refineCandidate(
    generatorOf(id, generator),
    { ...request, repository: code },
    { mayChange: (path) => code.has(path) && mayChange(path, rules), signal: work.abort.signal },
  )
}

function generateBatch(id: number, work: Work, { generator, request, rules }: BatchTask): Promise<Batch> {
  const tell = teller(id)
  const code = codeOf(id, work, generator, (share) => tell(share < 1 ? 'understand' : 'propose', share % 1))
  return batchOf(
    generatorOf(id, generator),
    { ...request, repository: code },
    {
      mayChange: (path) => code.has(path) && mayChange(path, rules),
      signal: work.abort.signal,
      // It starts to propose while it reads: the share of files says which of the two steps it is at.
      onStep: (step) => tell(step === 'propose' ? 'understand' : step, 0),
    },
  )
}

function codeOf(
  id: number,
  { files, asked }: Work,
  generator: GeneratorSettings,
  onRead: (share: number) => void,
): Code {
  const read = (blobs: readonly string[]) => {
    const ask = ++asks
    return new Promise<readonly (Uint8Array | null)[]>((resolve, reject) => {
      asked.set(ask, { resolve, reject })
      post({ id, kind: 'read', ask, blobs })
    })
  }
  return new Code(files, generator.kind === 'rules' ? isRulesPath : isSurveyPath, read, texts, onRead)
}

function teller(id: number): (step: GenerationStep, share: number) => void {
  let last: { readonly step: GenerationStep; readonly at: number } | undefined
  return (step, share) => {
    const now = performance.now()
    if (last?.step === step && now - last.at < TELL_MS) return
    last = { step, at: now }
    post({ id, kind: 'step', step, share })
  }
}

function generatorOf(id: number, settings: GeneratorSettings): Generator {
  if (settings.kind === 'rules') return ruleGenerator()
  const { maxSeconds, ...endpoint } = settings
  return languageModel({ ...endpoint, seconds: maxSeconds }, undefined, (question) =>
    post({ id, kind: 'asked', question }),
  )
}
