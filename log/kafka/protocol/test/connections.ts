import { copyFileSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import t from 'tap'
import {
  certificatesProblem,
  makeCertificate,
  makeCertificates,
} from '../../../../test/support/cluster/certificates.js'
import { waitUntil } from '../../../../test/support/wait-until.js'
import { BrokerConnection } from '../connections.js'

const skip = certificatesProblem() ?? false

t.test('a new connection presents the client certificate as it is now', { skip }, async (t) => {
  const folder = t.testdir()
  const { ca, key, certificate } = makeCertificates(folder)
  const trusted = readFileSync(ca, 'utf8')
  const first = makeCertificate(folder, { name: 'client', subject: 'first' })
  const second = makeCertificate(folder, { name: 'renewed', subject: 'second' })
  const names: string[] = []
  const broker = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate), ca: trusted, requestCert: true },
    (socket) => {
      names.push(String(socket.getPeerCertificate().subject.CN))
      socket.on('error', () => {})
    },
  )
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve))
  t.teardown(() => broker.close())
  const { port } = broker.address() as AddressInfo
  const client = { certFile: first.certificate, keyFile: first.key }
  const connect = async (): Promise<void> => {
    const options = { brokers: [], clientId: 'test', tls: { ca: trusted, client } }
    const before = names.length
    const connection = await BrokerConnection.open(`127.0.0.1:${port}`, options)
    await waitUntil(() => names.length > before)
    connection.close()
  }
  await connect()
  copyFileSync(second.certificate, first.certificate)
  await t.rejects(
    connect(),
    { message: /SVC_KAFKA_KEY_FILE names .*, which is not the key of/ },
    'half renewed',
  )
  copyFileSync(second.key, first.key)
  await connect()
  t.same(names, ['first', 'second'])
})
