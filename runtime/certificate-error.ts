import { errorCode } from './errors.js'

/** Codes of OpenSSL and Node for a certificate that is not accepted. */
const CODES =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|INVALID_CA$|HOSTNAME_MISMATCH$|ERR_TLS_CERT_)/

/** Whether the root cause of an error is a certificate that is not accepted. Waiting does not help. */
export function isCertificateError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (CODES.test(errorCode(cause) ?? '')) return true
  return false
}
