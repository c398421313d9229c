import { ClickHouseError } from '../../clickhouse/port.js'
import { LogRegistrationError } from '../../consumers/operations/register-log.js'
import { isPostgresDown } from '../../postgres/errors.js'
import { isCertificateError } from '../../runtime/certificate-error.js'

/** Of ClickHouse, for which the store is as good as down while it runs. */
const WRONG_USER = /^(AUTHENTICATION_FAILED|REQUIRED_PASSWORD|UNKNOWN_USER):/

/** Whether a failure of a start can pass by itself: a store that is not there yet. A wrong password or a newer schema cannot. */
export function canPass(error: unknown): boolean {
  if (error instanceof LogRegistrationError) return error.canWait
  if (!(error instanceof Error) || isCertificateError(error)) return false
  if (error instanceof ClickHouseError && WRONG_USER.test(error.message)) return false
  if ('retryable' in error) return error.retryable === true
  // Brokers that are starting know no controller, no coordinator, no leader: by far most of kafkajs' errors.
  if (error.name.startsWith('KafkaJS')) return error.name !== 'KafkaJSSASLAuthenticationError'
  return isPostgresDown(error)
}
