/** How OpenSSL and Node call what is wrong with a certificate. */
const PROBLEMS =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|INVALID_CA$|HOSTNAME_MISMATCH$|ERR_TLS_CERT_)/

/** Whether something failed, at its root, since the other end's certificate is not accepted. No waiting mends that. */
export function isCertificateError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && PROBLEMS.test(String(cause.code))) return true
  return false
}
