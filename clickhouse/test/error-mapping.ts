import t from 'tap'
import { toClickHouseError } from '../error-mapping.js'
import { ClickHouseError } from '../port.js'

t.test('errors of a client become those of the port', (t) => {
  const answer = (type: string, message = 'because ') =>
    toClickHouseError(Object.assign(new Error(message), { code: '1', type }))
  t.match(answer('TIMEOUT_EXCEEDED'), {
    code: 'timeout',
    retryable: false,
    message: 'TIMEOUT_EXCEEDED: because',
  })
  t.match(answer('MEMORY_LIMIT_EXCEEDED'), { code: 'memory', retryable: true })
  t.match(answer('MEMORY_LIMIT_EXCEEDED', 'Memory limit (total) exceeded'), {
    code: 'overloaded',
    retryable: true,
  })
  t.match(answer('NOT_ENOUGH_SPACE'), { code: 'disk_full', retryable: true })
  t.match(answer('CANNOT_WRITE_TO_FILE_DESCRIPTOR', 'errno: 28, strerror: No space left on device'), {
    code: 'disk_full',
  })
  t.match(answer('TOO_MANY_ROWS'), { code: 'rows', retryable: false })
  t.match(answer('QUERY_WAS_CANCELLED'), { code: 'cancelled', retryable: true })
  for (const type of [
    'AUTHENTICATION_FAILED',
    'REQUIRED_PASSWORD',
    'UNKNOWN_USER',
    'ACCESS_DENIED',
    'READONLY',
  ])
    t.match(answer(type), { code: 'denied', retryable: false, type })
  t.match(answer('FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'), { code: 'assertion', retryable: false })
  t.match(answer('UNEXPECTED_ZOOKEEPER_ERROR'), { code: 'unavailable', retryable: true })
  t.match(answer('SOMETHING_ELSE'), { code: 'query', retryable: false })
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  t.match(toClickHouseError(refused), { code: 'unavailable', retryable: true, cause: refused })
  const certificate = Object.assign(new Error('self-signed certificate'), {
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
  t.match(toClickHouseError(certificate), { code: 'denied', retryable: false })
  t.match(toClickHouseError('nothing'), { code: 'unavailable', message: 'nothing' })
  const own = new ClickHouseError('rows', 'own')
  t.equal(toClickHouseError(own), own)
  t.end()
})
