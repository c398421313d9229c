import { isCertificateError } from '../../../runtime/certificate-error.js'
import { TimeoutError } from '../../../runtime/concurrency/with-timeout.js'
import { ConfigError } from '../../../runtime/config.js'
import { errorCode, errorMessage } from '../../../runtime/errors.js'
import { LogError, LogUnavailableError } from '../../port.js'
import { type ConnectionOptions, kafkaErrorType } from './connections.js'

const LOGIN_REFUSED = new Set([
  'UNSUPPORTED_SASL_MECHANISM',
  'ILLEGAL_SASL_STATE',
  'SASL_AUTHENTICATION_FAILED',
])
/** Alerts of TLS about the certificate of a client. */
const REFUSED_CERTIFICATE = /^ERR_SSL_.*ALERT_.*(CERTIFICATE|UNKNOWN_CA)/
const NO_ANSWER = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
])

/**
 * Maps what kafkajs or a connection threw to the port's error, with a message that names the setting to
 * check. Errors of the port and programming errors stay as they are.
 *
 * Most errors of kafkajs come from brokers that are starting: they know no controller, coordinator or leader.
 */
export function toLogError(
  error: unknown,
  { brokers, tls = false }: Pick<ConnectionOptions, 'brokers' | 'tls'>,
): unknown {
  if (error instanceof LogError) return error
  const root = rootOf(error)
  if (!(root instanceof Error)) return error
  // A login by a token has its own.
  if (root instanceof LogError) return root
  const because = { cause: error }
  const said = errorMessage(root).replace(/^Connection error: /, '')
  const type = kafkaErrorType(root) ?? ''
  if (root.name === 'KafkaJSSASLAuthenticationError' || LOGIN_REFUSED.has(type))
    return new LogError(
      'denied',
      `Kafka refuses the login (SVC_KAFKA_USERNAME, SVC_KAFKA_PASSWORD, SVC_KAFKA_MECHANISM): ${said}`,
      because,
    )
  if (type.endsWith('_AUTHORIZATION_FAILED'))
    return new LogError('denied', `Kafka does not let this user do what the log needs: ${said}`, because)
  if (isCertificateError(root))
    return new LogError(
      'denied',
      `the certificate of Kafka is not accepted (SVC_KAFKA_CA_FILE): ${said}`,
      because,
    )
  // The files were sound at the start, so a renewal is under way, or failed.
  if (root instanceof ConfigError) return new LogUnavailableError(root.message, because)
  if (tls && REFUSED_CERTIFICATE.test(errorCode(root) ?? ''))
    return new LogError(
      'denied',
      `Kafka refuses the certificate of svc, or wants one (SVC_KAFKA_CERT_FILE): ${said}`,
      because,
    )
  if (tls && isHandshakeFailure(root))
    return new LogUnavailableError(
      `Kafka does not answer over TLS: is it this port that has TLS (SVC_KAFKA_BROKERS, SVC_KAFKA_TLS)? ${said}`,
      because,
    )
  // Also a broker that is starting behind something that already has its port.
  if (root.name === 'KafkaJSConnectionClosedError')
    return new LogUnavailableError(
      `Kafka closes the connection: does it want TLS (SVC_KAFKA_TLS) or a login (SVC_KAFKA_USERNAME)? ${said}`,
      because,
    )
  if (NO_ANSWER.has(root.name) || root instanceof TimeoutError)
    return new LogUnavailableError(`no broker of ${brokers.join(', ')} answers: ${said}`, because)
  return root.name.startsWith('KafkaJS')
    ? new LogUnavailableError(`Kafka is not ready: ${said}`, because)
    : error
}

/** kafkajs wraps the last of several attempts, and collects the errors of several topics. */
function rootOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error.cause instanceof Error) return rootOf(error.cause)
  const [first] = 'errors' in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : []
  return first === undefined ? error : rootOf(first)
}

/** A peer without TLS resets the connection or sends something that OpenSSL cannot read. */
function isHandshakeFailure(error: Error): boolean {
  const code = errorCode(error) ?? ''
  return code === 'EPROTO' || code === 'ECONNRESET' || code.startsWith('ERR_SSL_')
}
