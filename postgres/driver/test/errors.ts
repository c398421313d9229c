import t from 'tap'
import { serverError } from '../../test/support/server-error.js'
import { toDatabaseError } from '../errors.js'

t.test('errors of the server are classified by SQLSTATE', (t) => {
  const kindOf = (code: string) => {
    const { code: kind, retryable, undone } = toDatabaseError(serverError(code)) ?? {}
    return { kind, retryable, undone }
  }
  for (const [code, kind, retryable] of [
    ['57P03', 'unavailable', true],
    ['57014', 'unavailable', true],
    ['53300', 'unavailable', true],
    ['53100', 'disk_full', true],
    ['25006', 'unavailable', true],
    ['08006', 'unavailable', true],
    ['40001', 'conflict', true],
    ['40P01', 'conflict', true],
    ['55P03', 'conflict', true],
    ['28P01', 'denied', false],
    ['3D000', 'denied', false],
    ['42501', 'denied', false],
    ['42P01', 'statement', false],
    ['23505', 'statement', false],
  ] as const)
    t.same(kindOf(code), { kind, retryable, undone: true }, code)
  t.end()
})

t.test('a rejected certificate has the code denied', (t) => {
  const error = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  t.match(toDatabaseError(error), { code: 'denied', retryable: false, undone: true, cause: error })
  t.end()
})

t.test('connection errors tell whether the server may have executed the statement', (t) => {
  const undone = (code: string) => toDatabaseError(Object.assign(new Error('x'), { code }))?.undone
  for (const code of ['ECONNREFUSED', 'CONNECT_TIMEOUT', 'ENOTFOUND']) t.equal(undone(code), true, code)
  for (const code of ['ECONNRESET', 'CONNECTION_CLOSED', 'EPIPE']) t.equal(undone(code), false, code)
  for (const other of [new Error('x'), Object.assign(new Error('x'), { code: 'ENOSPC' }), 'text', undefined])
    t.equal(toDatabaseError(other), undefined)
  t.end()
})
