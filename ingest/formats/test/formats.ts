import t from 'tap'
import { toId, toSdkVersion, toTime } from '../message.js'
import { findApiKey } from '../posthog/api-key.js'
import { withBearer } from '../segment/basic-authorization.js'

t.test('the key is found in the object itself only', async (t) => {
  const bodies: readonly (readonly [body: string, key: string | undefined])[] = [
    ['{"api_key":"k"}', 'k'],
    ['\n{ "batch": [{"api_key":"no"}, ["}"]], "api_key" :\t"k" }', 'k'],
    ['{"api_key":"first","api_key":"k"}', 'k'],
    ['{"a":"\\\\","api_key":"k"}', 'k'],
    ['{"a":"\\",\\"api_key\\":\\"no\\"","b":1}', undefined],
    ['{"a":"\\\\\\"","api_key":"k"}', 'k'],
    ['{"properties":{"api_key":"no"}}', undefined],
    ['[{"api_key":"no"}]', undefined],
    ['{"api_key":7}', undefined],
    ['{"api_key":"not a key"}', undefined],
    [`{"api_key":"${'x'.repeat(300)}"}`, undefined],
    ['{"x":"api_key"}', undefined],
    ['{"api_key', undefined],
    ['{"api_key":"', undefined],
    ['"\\', undefined],
    ['', undefined],
  ]
  for (const [body, key] of bodies) t.equal(findApiKey(Buffer.from(body)), key, body.slice(0, 60))
})

t.test('Basic authentication gives the key as Bearer', async (t) => {
  const read = (authorization: string | undefined): string | undefined =>
    withBearer({
      authorization,
      repeatedHeader: undefined,
      hasOrigin: false,
      contentType: 'text/plain',
      contentEncoding: undefined,
      contentLength: undefined,
      ifNoneMatch: undefined,
      relay: undefined,
      forwardedFor: undefined,
      endsConnection: false,
      isAmbiguous: false,
    }).authorization
  const basic = (text: string): string => Buffer.from(text).toString('base64')
  t.equal(read(`Basic ${basic('tsk_secret_1:')}`), 'Bearer tsk_secret_1')
  t.equal(read(`bAsIc  ${basic('tsk_secret_1')} `), 'Bearer tsk_secret_1')
  t.equal(read(`Basic ${basic('tsk_secret_1:pass:word')}`), 'Bearer tsk_secret_1')
  for (const other of [undefined, '', 'Bearer k', 'Basic', 'Basic *']) t.equal(read(other), other)
})

t.test('times, ids and versions are accepted in the forms that clients send', async (t) => {
  const times: Readonly<Record<string, string>> = {
    '2026-11-26T10:00:00.000Z': '2026-11-26T10:00:00.000Z',
    '2026-11-26T10:00:00.123456+00:00': '2026-11-26T10:00:00.123456+00:00',
    '2026-11-26T10:00:00': '2026-11-26T10:00:00Z',
    '2026-11-26 10:00:00.5': '2026-11-26T10:00:00.5Z',
    '2026-11-26 10:00:00 -0230': '2026-11-26T10:00:00-02:30',
    '2026-11-26': '2026-11-26T00:00:00Z',
    '26.11.2026': '26.11.2026',
  }
  for (const [sent, time] of Object.entries(times)) t.equal(toTime(sent), time, sent)
  for (const other of [undefined, null, 7, {}]) t.equal(toTime(other), other)
  t.same(['', 0, 42, 1.5, 2 ** 53, null, 'a', false].map(toId), [
    undefined,
    '0',
    '42',
    1.5,
    2 ** 53,
    null,
    'a',
    false,
  ])
  t.equal(toSdkVersion('n', '1'), 'n/1')
  t.equal(toSdkVersion('n', 1), 'n')
  t.equal(toSdkVersion(undefined, ''), undefined)
  t.equal(toSdkVersion('x'.repeat(300), '1')?.length, 200)
})
