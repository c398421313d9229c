import t from 'tap'
import { TimeoutError } from '../../../../runtime/concurrency/with-timeout.js'
import { LogError } from '../../../port.js'
import { toLogError } from '../error-mapping.js'

const brokers = ['a:9092', 'b:9092']
const named = (name: string, fields: object = {}) => Object.assign(new Error('because'), { name, ...fields })

t.test('a refused login, right or certificate is a permanent error', async (t) => {
  for (const error of [
    named('KafkaJSSASLAuthenticationError'),
    named('KafkaJSProtocolError', { type: 'SASL_AUTHENTICATION_FAILED' }),
    named('KafkaJSProtocolError', { type: 'TOPIC_AUTHORIZATION_FAILED' }),
    named('KafkaJSProtocolError', { type: 'CLUSTER_AUTHORIZATION_FAILED' }),
    named('KafkaJSConnectionError', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    new Error('the last of five attempts', { cause: named('KafkaJSSASLAuthenticationError') }),
    named('KafkaJSAggregateError', { errors: [named('KafkaJSSASLAuthenticationError')] }),
  ])
    t.match(toLogError(error, { brokers, tls: true }), {
      name: 'LogError',
      code: 'denied',
      retryable: false,
      cause: error,
    })
})

t.test('a broker that does not answer yet is a retryable error', async (t) => {
  for (const [error, message] of [
    [named('KafkaJSConnectionError'), /^no broker of a:9092, b:9092 answers: because$/],
    [named('KafkaJSRequestTimeoutError'), /^no broker of/],
    [new TimeoutError('Kafka: no answer in 500 ms'), /^no broker of/],
    [named('KafkaJSConnectionClosedError'), /does it want TLS/],
    [named('KafkaJSConnectionError', { code: 'ECONNRESET' }), /is it this port that has TLS/],
    [named('KafkaJSConnectionError', { code: 'EPROTO' }), /is it this port that has TLS/],
    [named('KafkaJSNumberOfRetriesExceeded'), /^Kafka is not ready: because$/],
  ] as const)
    t.match(toLogError(error, { brokers, tls: true }), { code: 'unavailable', retryable: true, message })
  const reset = named('KafkaJSConnectionError', { code: 'ECONNRESET' })
  t.match(toLogError(reset, { brokers }), { message: /^no broker of/ })
})

t.test('errors of the port and faults of the program stay as they are', async (t) => {
  for (const error of [new LogError('layout', 'other counts'), new TypeError('a fault'), 'text'])
    t.equal(toLogError(error, { brokers, tls: true }), error)
})
