import t from 'tap'
import { toClickHouseError } from '../error-mapping.js'
import { ClickHouseError } from '../port.js'

t.test('errors of a client become those of the port', (t) => {
  const answer = (type: string) =>
    toClickHouseError(Object.assign(new Error('because '), { code: '1', type }))
  t.match(answer('TIMEOUT_EXCEEDED'), {
    code: 'timeout',
    retryable: false,
    message: 'TIMEOUT_EXCEEDED: because',
  })
  t.match(answer('MEMORY_LIMIT_EXCEEDED'), { code: 'memory', retryable: true })
  t.match(answer('TOO_MANY_ROWS'), { code: 'rows', retryable: false })
  t.match(answer('QUERY_WAS_CANCELLED'), { code: 'cancelled', retryable: true })
  t.match(answer('AUTHENTICATION_FAILED'), { code: 'unavailable', retryable: true })
  t.match(answer('UNEXPECTED_ZOOKEEPER_ERROR'), { code: 'unavailable', retryable: true })
  t.match(answer('SOMETHING_ELSE'), { code: 'query', retryable: false })
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  t.match(toClickHouseError(refused), { code: 'unavailable', retryable: true, cause: refused })
  t.match(toClickHouseError('nothing'), { code: 'unavailable', message: 'nothing' })
  const own = new ClickHouseError('own', 'rows', false)
  t.equal(toClickHouseError(own), own)
  t.end()
})
