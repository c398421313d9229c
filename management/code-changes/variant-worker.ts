import { parentPort } from 'node:worker_threads'
import { cleanUp } from '../../variants/clean-up.js'
import { writeVariants } from '../../variants/write.js'
import type { WorkerRequest, WorkerResponse } from './variant-writer.js'

/** Worker thread that writes and removes variants. It alone loads the parsers. */

parentPort?.on('message', ({ id, question }: WorkerRequest) => {
  parentPort?.postMessage({ id, ...answer(question) } satisfies WorkerResponse)
})

function answer(question: WorkerRequest['question']): Omit<WorkerResponse, 'id'> {
  try {
    return { value: question.kind === 'write' ? writeVariants(question.request) : cleanUp(question.request) }
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
