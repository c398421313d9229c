import { Type } from '@sinclair/typebox'
import {
  INGEST_OUTCOMES,
  type IngestProblemRow,
  readIngestProblems,
} from '../../postgres/tables/ingest-problems.js'
import { defineRoute, page, pageOf } from '../http/route.js'
import { closed, named, nullable, oneOf, paging, time, uuid } from '../http/schemas.js'

const IngestProblemSchema = named(
  'IngestProblem',
  closed({
    keyId: uuid('The server key that sent it'),
    keyName: Type.String(),
    outcome: oneOf(INGEST_OUTCOMES, {
      description: '`refused`, or `warned` by an answer to `POST /v1/events?warnings=true`',
    }),
    firstAt: time('The first of its kind. After an hour without one it is counted anew'),
    lastAt: time('The newest of its kind, which the other fields are about'),
    times: Type.Integer({ description: 'At least so many requests or messages' }),
    status: Type.Integer({
      description: 'Of the answer. 200: other messages of the batch were accepted. 202: a warning',
    }),
    code: Type.String({ examples: ['VALIDATION_FAILED'] }),
    field: nullable(Type.String(), { description: 'As `events[3].event`; null if no field is to blame' }),
    message: Type.String(),
    eventName: nullable(Type.String(), { description: 'As sent, its beginning' }),
    eventIndex: nullable(Type.Integer(), { description: 'Place of the event in its request, from 0' }),
    value: nullable(Type.String(), {
      description: 'The beginning of the value as JSON, or what it is, such as `a text of 300 characters`',
    }),
  }),
)

const example = {
  keyId: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
  keyName: 'shop',
  outcome: 'refused',
  firstAt: '2026-11-21T09:29:10.000Z',
  lastAt: '2026-11-21T09:30:00.000Z',
  times: 3,
  status: 400,
  code: 'VALIDATION_FAILED',
  field: 'events[0].event',
  message: 'events[0].event must contain only the characters A-Z a-z 0-9 _ . - $',
  eventName: 'order paid',
  eventIndex: 0,
  value: '"order paid"',
}

export const listIngestProblemsRoute = defineRoute('GET /events/problems', 'listIngestProblems', {
  tag: 'Events',
  summary: 'List refused events and warnings, newest first',
  description:
    'The last seven days: for each server key the twenty newest kinds of refusals and of warnings, a second or two after they happened. No ids of persons and no properties are kept; erasing a person removes all of them.',
  query: closed({
    ...paging(100, 25),
    outcome: Type.Optional(oneOf(INGEST_OUTCOMES, { description: 'Only these' })),
    keyId: Type.Optional(uuid('Only of this key')),
  }),
  responses: { 200: pageOf('A page of problems', 'IngestProblemPage', IngestProblemSchema, example, 25) },
  async handler({ query, services, workspaceId }) {
    const { rows, total } = await readIngestProblems(services.sql, workspaceId, query)
    return page(query, rows.map(present), total)
  },
})

function present({ status, field, eventName, value, ...row }: IngestProblemRow) {
  const index = /^(?:events|batch)\[(\d+)\]/.exec(field ?? '')?.[1]
  return {
    ...row,
    outcome: status === 202 ? 'warned' : 'refused',
    status,
    field,
    eventName,
    eventIndex: index === undefined ? null : Number(index),
    value,
  }
}
