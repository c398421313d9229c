import t from 'tap'
import { isCertificateError } from '../certificate-error.js'

const withCode = (code: string): Error => Object.assign(new Error('no'), { code })

t.test('a rejected certificate is recognised among other failures, however deep the cause', async (t) => {
  for (const code of [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])
    t.ok(isCertificateError(new Error('outer', { cause: withCode(code) })), code)
  for (const error of [
    withCode('ECONNREFUSED'),
    withCode('EPROTO'),
    new Error('no'),
    'CERT_HAS_EXPIRED',
    undefined,
  ])
    t.notOk(isCertificateError(error))
})
