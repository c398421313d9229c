import { Type } from '@sinclair/typebox'
import { findRun, listRuns, RUN_STEPS } from '../../management/proposals/index.js'
import { defineRoute, json, page, pageOf } from '../http/route.js'
import { closed, named, nullable, oneOf, paging, time, uuid } from '../http/schemas.js'

const Run = named(
  'GenerationRun',
  closed({
    id: uuid('The run'),
    status: oneOf(['queued', 'running', 'succeeded', 'failed']),
    step: nullable(oneOf(RUN_STEPS), {
      description: 'Current step; null before it starts and after it ends',
    }),
    progress: Type.Number({ minimum: 0, maximum: 1, description: 'Share of the work that is done' }),
    requested: Type.Integer({ description: 'Number of proposals requested' }),
    generated: Type.Integer({ description: 'Number of proposals written' }),
    survived: Type.Integer({ description: 'Number of proposals that passed the filters' }),
    dropped: Type.Array(closed({ reason: Type.String(), count: Type.Integer() }), {
      description: 'Why the others were dropped',
    }),
    startedAt: nullable(time('When it began')),
    finishedAt: nullable(time('When it was over')),
    durationMs: nullable(Type.Integer(), { description: 'From start to end' }),
    error: nullable(closed({ step: Type.String(), message: Type.String() }), {
      description: 'The step that failed, and why',
    }),
    createdAt: time('When it was asked for'),
  }),
)

const exampleRun = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d63',
  status: 'succeeded',
  step: null,
  progress: 1,
  requested: 5,
  generated: 7,
  survived: 5,
  dropped: [{ reason: 'duplicate', count: 2 }],
  startedAt: '2026-11-21T09:30:01.000Z',
  finishedAt: '2026-11-21T09:30:09.500Z',
  durationMs: 8_500,
  error: null,
  createdAt: '2026-11-21T09:30:00.000Z',
}

export const runRoutes = [
  defineRoute('GET /experiment-runs', 'listGenerationRuns', {
    tag: 'Generation runs',
    summary: 'List generation runs, newest first',
    query: closed(paging(100, 25)),
    responses: { 200: pageOf('A page of runs', 'GenerationRunPage', Run, exampleRun, 25) },
    async handler({ query, services, workspaceId }) {
      const { rows, total } = await listRuns(services.sql, workspaceId, query)
      return page(query, rows, total)
    },
  }),

  defineRoute('GET /experiment-runs/{runId}', 'getGenerationRun', {
    tag: 'Generation runs',
    summary: 'Get a generation run',
    params: closed({ runId: uuid('The run') }),
    etag: true,
    responses: { 200: json('The run', Run, exampleRun) },
    async handler({ params, services, workspaceId }) {
      return { status: 200, body: await findRun(services.sql, workspaceId, params.runId) }
    },
  }),
]
