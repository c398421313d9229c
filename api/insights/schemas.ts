import { Type } from '@sinclair/typebox'

export const ENTRIES_A_PAGE = 100

export const neverReceivedNames = Type.Array(Type.String(), {
  description:
    'Event names of the query that the workspace has never received: their zeros may be a wrong name',
  examples: [[]],
})
