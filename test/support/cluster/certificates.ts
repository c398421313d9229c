import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files in PEM. */
export interface Certificates {
  /** Of the authority that has signed the server's. */
  readonly ca: string
  /** Of an authority that has signed nothing. */
  readonly strangeCa: string
  readonly key: string
  /** For `localhost` and 127.0.0.1. */
  readonly certificate: string
  /** Key and certificate in one. */
  readonly keystore: string
}

/** Why there are no certificates on this machine, for the reason of a skip. */
export function certificatesProblem(): string | undefined {
  const { status } = spawnSync('openssl', ['version'], { stdio: 'ignore', timeout: 10_000 })
  return status === 0 ? undefined : 'certificates are made by openssl, and there is none'
}

/** Makes an authority and a server certificate of it, valid for a day. */
export function makeCertificates(folder: string): Certificates {
  const at = (name: string): string => join(folder, name)
  for (const name of ['ca', 'strange-ca'])
    openssl(
      ...['req', '-x509', '-days', '1', '-subj', `/CN=svc test ${name}`],
      ...newKey(at(`${name}.key`)),
      ...['-out', at(`${name}.pem`)],
    )
  const { key, certificate } = makeCertificate(folder, { name: 'server', subject: 'localhost' })
  writeFileSync(at('keystore.pem'), [key, certificate].map((file) => readFileSync(file, 'utf8')).join(''))
  return { ca: at('ca.pem'), strangeCa: at('strange-ca.pem'), key, certificate, keystore: at('keystore.pem') }
}

/**
 * Makes `NAME.pem` and `NAME.key` for localhost and 127.0.0.1, by an authority of `makeCertificates`.
 *
 * @param options.days 0 for one that has expired @default 1
 */
export function makeCertificate(
  folder: string,
  options: {
    readonly name: string
    readonly subject: string
    readonly ca?: 'ca' | 'strange-ca'
    readonly days?: number
  },
): { readonly key: string; readonly certificate: string } {
  const { name, subject, ca = 'ca', days = 1 } = options
  const at = (file: string): string => join(folder, file)
  openssl('req', '-subj', `/CN=${subject}`, ...newKey(at(`${name}.key`)), '-out', at(`${name}.csr`))
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
  openssl(
    ...['x509', '-req', '-days', String(days), '-in', at(`${name}.csr`), '-extfile', at('names')],
    ...['-CA', at(`${ca}.pem`), '-CAkey', at(`${ca}.key`), '-CAcreateserial', '-out', at(`${name}.pem`)],
  )
  return { key: at(`${name}.key`), certificate: at(`${name}.pem`) }
}

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 30_000 })
}

function newKey(file: string): string[] {
  return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file]
}
