import t from 'tap'
import { fieldOf, REFUSAL_STATUS, refusalBody, unavailableRefusal, validationRefusal } from '../errors.js'

t.test('refusals have the documented statuses', async (t) => {
  t.same(REFUSAL_STATUS, {
    VALIDATION_FAILED: 400,
    MALFORMED_JSON: 400,
    UNAUTHENTICATED: 401,
    SECRET_KEY_IN_BROWSER: 403,
    MISSING_PERMISSION: 403,
    NOT_FOUND: 404,
    METHOD_NOT_ALLOWED: 405,
    ALIAS_CONFLICT: 409,
    PAYLOAD_TOO_LARGE: 413,
    UNSUPPORTED_MEDIA_TYPE: 415,
    RATE_LIMITED: 429,
    DAILY_CAP_REACHED: 429,
    INTERNAL: 500,
    UNAVAILABLE: 503,
  })
})

t.test('a JSON pointer becomes the name of a field', async (t) => {
  t.equal(fieldOf(''), '')
  t.equal(fieldOf('/sentAt'), 'sentAt')
  t.equal(fieldOf('/events/3/event'), 'events[3].event')
  t.equal(fieldOf('/events/3'), 'events[3]')
  t.equal(fieldOf('/a~1b/c~0d'), 'a/b.c~d')
})

t.test('a refusal body has a code, a message, the request id and the fields', async (t) => {
  t.same(JSON.parse(refusalBody({ code: 'NOT_FOUND', message: 'no' }, 'id')), {
    code: 'NOT_FOUND',
    message: 'no',
    requestId: 'id',
    details: [],
    field: null,
  })
  const refusal = validationRefusal([
    { path: '/events/0/event', message: 'is required' },
    { path: '', message: 'is odd' },
  ])
  t.same(JSON.parse(refusalBody(refusal, 'id')), {
    code: 'VALIDATION_FAILED',
    message: 'events[0].event is required (and 1 more)',
    requestId: 'id',
    details: [
      { path: '/events/0/event', message: 'events[0].event is required' },
      { path: '', message: 'the body is odd' },
    ],
    field: 'events[0].event',
  })
  t.same(unavailableRefusal('later', 3).headers, [['Retry-After', '3']])
})
