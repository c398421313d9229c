/** The thread that writes variants and takes them out: it alone loads the parsers, and only it is busy while they work. */
import { parentPort } from 'node:worker_threads'
import { cleanUp } from '../../../variants/clean-up.js'
import { writeVariants } from '../../../variants/write.js'
import type { Asked, Told } from './variants.js'

parentPort?.on('message', ({ id, question }: Asked) => {
  parentPort?.postMessage({ id, ...answer(question) } satisfies Told)
})

function answer(question: Asked['question']): Omit<Told, 'id'> {
  try {
    return { value: question.kind === 'write' ? writeVariants(question.request) : cleanUp(question.request) }
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
