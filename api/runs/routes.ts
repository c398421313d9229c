import { Type } from '@sinclair/typebox'
import { findRun, listRuns, RUN_STEPS, type RunRow } from '../../management/proposals/index.js'
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
    ideas: Type.Array(
      closed({
        name: Type.String(),
        outcome: oneOf(['stored', 'dropped']),
        reason: nullable(Type.String()),
        message: nullable(Type.String()),
      }),
      { description: 'What became of each idea, the stored ones first' },
    ),
    files: Type.Array(closed({ path: Type.String(), why: Type.String() }), {
      description: 'Files that a language model read, and why',
    }),
    questions: Type.Integer({ description: 'Number of questions to a language model' }),
    tokens: Type.Integer({ description: 'Tokens of all questions and answers' }),
    asked: Type.Array(
      closed({
        step: oneOf(['choose', 'propose', 'repair', 'review', 'refine', 'try']),
        inputTokens: Type.Integer(),
        outputTokens: Type.Integer(),
        seconds: Type.Number(),
        outcome: oneOf(['answered', 'cut', 'failed']),
      }),
      { description: 'The questions, in order' },
    ),
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
  ideas: [
    { name: 'Say on the button that sign-up is free', outcome: 'stored', reason: null, message: null },
    { name: 'Shorten the form', outcome: 'dropped', reason: 'duplicate', message: 'It is already proposed.' },
  ],
  files: [{ path: 'src/pages/sign-up.tsx', why: 'visitors decide here' }],
  questions: 1,
  tokens: 15_400,
  asked: [{ step: 'propose', inputTokens: 12_300, outputTokens: 3_100, seconds: 41.2, outcome: 'answered' }],
  startedAt: '2026-11-21T09:30:01.000Z',
  finishedAt: '2026-11-21T09:30:09.500Z',
  durationMs: 8_500,
  error: null,
  createdAt: '2026-11-21T09:30:00.000Z',
}

const viewOf = ({ questions: asked, ...run }: RunRow) => ({
  ...run,
  questions: asked.length,
  tokens: asked.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0),
  asked,
})

export const runRoutes = [
  defineRoute('GET /experiment-runs', 'listGenerationRuns', {
    tag: 'Generation runs',
    summary: 'List generation runs, newest first',
    query: closed(paging(100, 25)),
    responses: { 200: pageOf('A page of runs', 'GenerationRunPage', Run, exampleRun, 25) },
    async handler({ query, services, workspaceId }) {
      const { rows, total } = await listRuns(services.sql, workspaceId, query)
      return page(query, rows.map(viewOf), total)
    },
  }),

  defineRoute('GET /experiment-runs/{runId}', 'getGenerationRun', {
    tag: 'Generation runs',
    summary: 'Get a generation run',
    params: closed({ runId: uuid('The run') }),
    etag: true,
    responses: { 200: json('The run', Run, exampleRun) },
    async handler({ params, services, workspaceId }) {
      return { status: 200, body: viewOf(await findRun(services.sql, workspaceId, params.runId)) }
    },
  }),
]
