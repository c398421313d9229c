import { isCertificateError } from '../../../runtime/certificate-error.js'
import { errorMessage } from '../../../runtime/errors.js'
import { LogUnavailableError } from '../../port.js'
import { kafkaErrorType } from './connections.js'

/** The brokers do not accept this client, or it does not accept them, as it is configured. Retrying does not help. */
export class LogAccessError extends Error {
  override readonly name = 'LogAccessError'
  readonly retryable = false
}

const REFUSED = /^(UNSUPPORTED_SASL_MECHANISM|ILLEGAL_SASL_STATE|SASL_AUTHENTICATION_FAILED)$/
const FORBIDDEN = /_AUTHORIZATION_FAILED$/

/**
 * What a failed opening means, where TLS, the login or its rights are at fault, in words that name what to look at; any other error as it is.
 *
 * A connection that is closed without a word may also be that of a broker which is only starting, behind something that has its port already: it is tried again.
 */
export function accessFailure(error: unknown, options: { readonly tls: boolean }): unknown {
  const root = rootOf(error)
  if (!(root instanceof Error)) return error
  const because = { cause: error }
  const said = errorMessage(root).replace(/^Connection error: /, '')
  const type = kafkaErrorType(root) ?? ''
  if (root.name === 'KafkaJSSASLAuthenticationError' || REFUSED.test(type))
    return new LogAccessError(
      `Kafka refuses the login (SVC_KAFKA_USERNAME, SVC_KAFKA_PASSWORD, SVC_KAFKA_MECHANISM): ${said}`,
      because,
    )
  if (FORBIDDEN.test(type))
    return new LogAccessError(`Kafka does not let this user do what the log needs: ${said}`, because)
  if (isCertificateError(root))
    return new LogAccessError(
      `the certificate of Kafka is not accepted (SVC_KAFKA_CA_FILE): ${said}`,
      because,
    )
  if (options.tls && isHandshakeFailure(root))
    return new LogUnavailableError(
      `Kafka does not answer over TLS: is it this port that has TLS (SVC_KAFKA_BROKERS, SVC_KAFKA_TLS)? ${said}`,
      because,
    )
  if (root.name === 'KafkaJSConnectionClosedError')
    return new LogUnavailableError(
      `Kafka closes the connection: does it want TLS (SVC_KAFKA_TLS) or a login (SVC_KAFKA_USERNAME)? ${said}`,
      because,
    )
  return error
}

/** kafkajs wraps the last of several attempts, and what several topics met. */
function rootOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error.cause instanceof Error) return rootOf(error.cause)
  const [first] = 'errors' in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : []
  return first === undefined ? error : rootOf(first)
}

function isHandshakeFailure(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  return (
    code === 'EPROTO' ||
    code.startsWith('ERR_SSL_') ||
    error.message.includes('before secure TLS connection was established')
  )
}
