import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from '@sinclair/typebox'
import {
  findExperiment,
  lockExperiment,
  transitionExperiment,
} from '../../../../management/experiments/store.js'
import type { ExperimentRow } from '../../../../management/experiments/types.js'
import { defineJob } from '../../../../management/jobs/definition.js'
import { permanent } from '../../../../management/jobs/failure.js'
import type { Operation } from '../../../../management/operation.js'
import { transition } from '../../../../management/workflows/transition.js'
import { experimentParams as params } from '../../../experiments/schemas.js'
import { toExperiment } from '../../../experiments/view.js'
import { defineOperation } from '../../../http/route.js'
import { closed } from '../../../http/schemas.js'

/**
 * An operation with an effect outside of Postgres, like a pull request: a file per experiment, written once.
 * The experiment's hypothesis tells what to do: `slow MILLISECONDS` or `impossible`.
 *
 * @param folder of the files; `writes` logs each write
 */
export function effectOperation(folder: string) {
  const job = defineJob({
    name: 'test-effect',
    payload: Type.Object({ workspaceId: Type.String(), experimentId: Type.String() }),
    concurrency: 3,
    serialBy: 'experimentId',
    retry: { maxElapsedMs: 60_000, initialIntervalMs: 100, maxIntervalMs: 1_000 },
    async effect({ services, payload: { workspaceId, experimentId }, signal }): Promise<string> {
      const { hypothesis } = await findExperiment(services.sql, workspaceId, experimentId)
      if (hypothesis === 'impossible') throw permanent('the disk is made of stone')
      if (hypothesis.startsWith('slow ')) await sleep(Number(hypothesis.slice(5)), undefined, { signal })
      const path = join(folder, experimentId)
      if (!existsSync(path)) {
        writeFileSync(path, `written by ${process.pid}`)
        appendFileSync(join(folder, 'writes'), `${experimentId}\n`)
      }
      return readFileSync(path, 'utf8')
    },
    async conclude(tx, { services, payload: { workspaceId, experimentId } }, written) {
      const at = new Date(services.now())
      await transitionExperiment(tx, workspaceId, experimentId, { name: 'prWritten', outcome: 'opened' }, at)
      await tx`update experiments set notes = ${written} where id = ${experimentId}`
    },
    async failed(tx, { services, payload: { workspaceId, experimentId } }, reason) {
      const at = new Date(services.now())
      await transitionExperiment(tx, workspaceId, experimentId, { name: 'prWritten', outcome: 'failed' }, at)
      await tx`update experiments set notes = ${reason} where id = ${experimentId}`
    },
  })

  const operation: Operation<{ readonly reference: string }, ExperimentRow> = {
    action: 'experiment.effect',
    waitMs: 20_000,
    async record(tx, caller, { reference }) {
      const { services, workspaceId } = caller
      const row = await lockExperiment(tx, workspaceId, reference)
      return {
        result: await transition(tx, caller, row, 'approve', { name: 'approve', outcome: 'writing' }),
        audit: { resourceId: row.id, summary: 'Wrote a file' },
        awaits: await services.jobs.send(tx, job, { workspaceId, experimentId: row.id }, { key: row.id }),
        subjectId: row.id,
      }
    },
    reread: findExperiment,
  }

  const route = defineOperation('POST /experiments/{id}/test-effect', 'testEffect', {
    tag: 'Test',
    summary: 'Write a file',
    scope: 'proposals.review',
    params,
    body: closed({}),
    bodyOptional: true,
    deadlineMs: 3_000,
    responses: { 200: { description: 'The experiment' } },
    operation,
    input: ({ params }) => ({ reference: params.id }),
    answer: (row) => ({ status: 200, body: toExperiment(row) }),
  })
  return { routes: [route], jobs: [job] }
}
