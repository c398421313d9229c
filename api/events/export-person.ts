import { EVENT_LIMITS } from '../../domain/event.js'
import { presentBatches } from '../../management/events/index.js'
import { exportPerson } from '../../management/privacy/index.js'
import { ndjson } from '../http/download.js'
import { defineRoute } from '../http/route.js'
import { closed, textUpTo } from '../http/schemas.js'
import { EventSchema, exampleEvent } from './schemas.js'

export const exportPersonRoute = defineRoute('GET /events/persons/{personId}/export', 'exportPerson', {
  heavy: true,
  tag: 'Privacy',
  summary: 'Export all events of a person',
  description:
    'Streams all events of a person as NDJSON, in the order of receipt. A user comes with the events of all anonymous ids that are linked to it.',
  params: closed({
    personId: textUpTo(EVENT_LIMITS.anonymousIdLength + 20, '`user:ID` or `anonymous:ID`, as events have it'),
  }),
  responses: {
    200: {
      description: 'The events, one a line',
      contentType: 'application/x-ndjson',
      schema: EventSchema,
      example: exampleEvent,
    },
  },
  async handler(request) {
    const { params, services, workspaceId, signal } = request
    const batches = await exportPerson(services, workspaceId, params.personId, signal)
    return ndjson(request, presentBatches(services.sql, workspaceId, batches), 'person.ndjson')
  },
})
