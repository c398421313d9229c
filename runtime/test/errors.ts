import t from 'tap'
import { type ErrorTable, errorCode, errorMessage, isDiskFull, isRetryable, ServiceError } from '../errors.js'

const STORE_ERRORS = {
  UNAVAILABLE: { retryable: true },
  DENIED: { retryable: false },
} as const satisfies ErrorTable

class StoreError extends ServiceError<keyof typeof STORE_ERRORS> {
  constructor(
    code: keyof typeof STORE_ERRORS,
    message: string,
    options?: { retryAfterMs?: number; cause?: unknown },
  ) {
    super(message, { ...options, code, ...STORE_ERRORS[code] })
  }
}

t.test('an error of a port has the name of its class, a code, and whether to retry', async (t) => {
  const cause = new Error('ECONNREFUSED')
  const error = new StoreError('UNAVAILABLE', 'the store does not answer', { retryAfterMs: 250, cause })
  t.equal(error.name, 'StoreError')
  t.match(error, {
    message: 'the store does not answer',
    code: 'UNAVAILABLE',
    retryable: true,
    retryAfterMs: 250,
  })
  t.equal(error.cause, cause)
  t.equal(new StoreError('DENIED', 'wrong password').retryAfterMs, undefined)
  t.notOk('cause' in new StoreError('DENIED', 'wrong password'))
})

t.test('only a classified error is retryable', async (t) => {
  t.ok(isRetryable(new StoreError('UNAVAILABLE', 'down')))
  t.notOk(isRetryable(new StoreError('DENIED', 'wrong password')))
  t.notOk(isRetryable(Object.assign(new Error('looks like one'), { retryable: true })))
  t.notOk(isRetryable('down'))
})

t.test('a system error has its code', async (t) => {
  t.equal(errorCode(Object.assign(new Error('no such file'), { code: 'ENOENT' })), 'ENOENT')
  t.equal(errorCode(new Error('no code')), undefined)
  t.equal(errorCode('thrown as it is'), undefined)
})

t.test('a full disk is recognised by its code, also as a cause', async (t) => {
  const full = Object.assign(new Error('write'), { code: 'ENOSPC' })
  const closed = new ServiceError('cannot be opened', { code: 'disk_full', retryable: false })
  for (const error of [full, closed, new Error('cannot start', { cause: full })]) t.ok(isDiskFull(error))
  for (const other of [new Error('no space left on device'), new Error('x', { cause: 'ENOSPC' }), 'ENOSPC'])
    t.notOk(isDiskFull(other))
})

t.test('any thrown value has a message for people', async (t) => {
  t.equal(errorMessage(new Error('the disk is full')), 'the disk is full')
  t.equal(errorMessage('thrown as it is'), 'thrown as it is')
  t.equal(errorMessage(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })), 'ECONNREFUSED')
  t.equal(errorMessage(new RangeError()), 'RangeError')
})
