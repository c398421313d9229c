import { awaitWriteUp } from '../../management/experiments/outcome.js'
import { lockExperiment } from '../../management/experiments/store.js'
import type { ExperimentRow } from '../../management/experiments/types.js'
import type { Transaction } from '../../postgres/driver/client.js'
import type { Answer, ApiRequest, Written } from '../frame/route.js'

/** Writes an outcome, and answers when it is written up as well, unless that takes long. */
export async function writtenUp(
  {
    services,
    write,
    workspaceId,
  }: Pick<ApiRequest<unknown, unknown, unknown>, 'services' | 'write' | 'workspaceId'>,
  reference: string,
  work: (tx: Transaction, row: ExperimentRow) => Promise<Written>,
): Promise<Answer> {
  const begunAt = performance.now()
  let id = ''
  const answer = await write(async (tx) => {
    const row = await lockExperiment(tx, workspaceId, reference)
    id = row.id
    return work(tx, row)
  })
  await awaitWriteUp(services.jobs, id, begunAt)
  return answer
}
