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
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 30_000 })
  }
  const newKey = (file: string): string[] => [
    ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', at(file)],
  ]
  for (const name of ['ca', 'strange-ca'])
    openssl(
      ...['req', '-x509', '-days', '1', '-subj', `/CN=svc test ${name}`],
      ...newKey(`${name}.key`),
      ...['-out', at(`${name}.pem`)],
    )
  openssl('req', '-subj', '/CN=localhost', ...newKey('server.key'), '-out', at('server.csr'))
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
  openssl(
    ...['x509', '-req', '-days', '1', '-in', at('server.csr'), '-extfile', at('names')],
    ...['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-out', at('server.pem')],
  )
  const both = ['server.key', 'server.pem'].map((name) => readFileSync(at(name), 'utf8'))
  writeFileSync(at('keystore.pem'), both.join(''))
  return {
    ca: at('ca.pem'),
    strangeCa: at('strange-ca.pem'),
    key: at('server.key'),
    certificate: at('server.pem'),
    keystore: at('keystore.pem'),
  }
}
