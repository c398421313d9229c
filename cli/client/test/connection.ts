import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { localTarget } from '../../../bench/support/client.js'
import { normalizeUrl, parseApiKey, resolveConnection } from '../connection.js'
import { writeProfiles } from '../profiles.js'

const none = {
  apiUrl: undefined,
  apiKey: undefined,
  profile: undefined,
  ingestUrl: undefined,
  serverKey: undefined,
  pager: undefined,
  noColor: true,
  nonInteractive: true,
  columns: undefined,
}

t.test('the environment overrides the profile, and a stored key is sent to its address only', async (t) => {
  const configHome = mkdtempSync(join(tmpdir(), 'svc-access-'))
  t.teardown(() => rmSync(configHome, { recursive: true }))
  const here = { ...none, configHome }
  t.match(resolveConnection(here, undefined), { apiUrl: 'http://127.0.0.1:8081', apiKey: undefined })
  writeProfiles(configHome, {
    current: 'a',
    profiles: {
      a: { apiUrl: 'https://a.example', apiKey: 'tsk_api_a' },
      local: { apiUrl: 'http://localhost:8081', apiKey: 'tsk_api_l' },
    },
  })
  t.match(resolveConnection(here, undefined), { apiUrl: 'https://a.example', apiKey: 'tsk_api_a' })
  t.match(resolveConnection({ ...here, profile: 'local' }, undefined), { apiKey: 'tsk_api_l' })
  t.match(resolveConnection({ ...here, profile: 'local' }, 'a'), { apiKey: 'tsk_api_a' })
  t.match(resolveConnection({ ...here, apiKey: 'tsk_api_e', apiUrl: 'https://b.example/v1/' }, undefined), {
    apiUrl: 'https://b.example',
    apiKey: 'tsk_api_e',
  })
  t.match(resolveConnection({ ...here, apiUrl: 'http://127.0.0.1:9999' }, 'local'), { apiKey: 'tsk_api_l' })
  t.throws(() => resolveConnection({ ...here, apiUrl: 'https://b.example' }, 'a'), { name: 'CommandError' })
  t.throws(() => resolveConnection(here, 'constructor'), { name: 'CommandError' })
})

t.test('invalid addresses and keys are refused', async (t) => {
  t.equal(normalizeUrl('http://h:1/base/v1', 'X'), 'http://h:1/base')
  for (const url of ['', 'h:1', 'ftp://h', 'http://user:secret@h'])
    t.throws(() => normalizeUrl(url, 'X'), { name: 'CommandError', message: /^(?!.*secret)/ }, url)
  t.equal(parseApiKey(' tsk_api_x\n'), 'tsk_api_x')
  for (const key of ['', 'a b', 'tsk_live_x', 'tsk_secret_x', 'ä'])
    t.throws(() => parseApiKey(key), { name: 'CommandError' }, key)
})

t.test('the demo goes to the address in the variables of the command line and the service', async (t) => {
  const SVC_DATA_DIR = t.testdir({ 'dev-keys.json': '{"serverKey":"s","apiKey":"a"}' })
  const addresses = (variables: NodeJS.ProcessEnv) => {
    const { ingest, api } = localTarget({ SVC_DATA_DIR, ...variables })
    return [ingest, api]
  }
  t.strictSame(addresses({}), ['http://127.0.0.1:8080', 'http://127.0.0.1:8081'])
  t.strictSame(addresses({ SVC_HOST: '10.0.0.1', SVC_API_PORT: '1' }), [
    'http://10.0.0.1:8080',
    'http://10.0.0.1:1',
  ])
  t.strictSame(addresses({ SVC_HOST: '10.0.0.1', SVC_INGEST_URL: 'https://in.example/', SVC_API_URL: '' }), [
    'https://in.example',
    'http://10.0.0.1:8081',
  ])
})
