import { Type } from '@sinclair/typebox'
import { closed, named, nullable, oneOf, time, uuid } from '../http/schemas.js'

export const Refinement = named(
  'Refinement',
  closed({
    id: uuid('The revision'),
    status: oneOf(['queued', 'running', 'done', 'failed']),
    instructions: Type.String(),
    error: nullable(Type.String(), { description: 'Why it failed' }),
    createdAt: time('When it was asked for'),
    finishedAt: nullable(time('When it was done or failed')),
  }),
)
