import t from 'tap'
import { runTokenCommand } from '../token-command.js'

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwt = (claims: object): string => `${part({ alg: 'none' })}.${part(claims)}.c2lnbmVk`
const FUTURE_S = 4_102_444_800
const secret = jwt({ exp: FUTURE_S })

t.test('what the program prints is a token, with its end if that can be known', async (t) => {
  const printed = (text: string) => runTokenCommand(['cat', `${t.testdir({ text })}/text`], undefined)
  const before = Date.now()
  t.same(await printed(`${secret}\n`), { value: secret, expiresAt: FUTURE_S * 1_000, extensions: {} })
  t.match(await printed('opaque-token'), { value: 'opaque-token', expiresAt: undefined })
  t.match(await printed(jwt({ sub: 'svc' })), { expiresAt: undefined }, 'a JWT without an end')
  const answer = await printed('{"access_token":"opaque","expires_in":"600","extensions":{"pool":"p","n":1}}')
  t.match(answer, { value: 'opaque' })
  t.same(answer.extensions, { pool: 'p' })
  t.ok((answer.expiresAt ?? 0) >= before + 600_000 && (answer.expiresAt ?? 0) <= Date.now() + 600_000)
  t.match(
    await printed(JSON.stringify({ access_token: secret, expires_in: 5 })),
    { expiresAt: FUTURE_S * 1_000 },
    'the end in the token itself comes first',
  )
})

t.test('a program that gives no token is a readable error without the token', async (t) => {
  const folder = t.testdir({
    'nothing.sh': 'exit 0',
    'text.sh': 'echo "please log in"',
    'other.sh': `echo '{"token":"${secret}"}'`,
    'failing.sh': `echo ${secret}; echo "denied for ${secret} and opaque-0123456789abcdef" >&2; exit 7`,
    'expired.sh': `echo ${jwt({ exp: 1_700_000_000 })}`,
  })
  for (const [command, code, message] of [
    ['/no/program --now', 'denied', /cannot be started: \/no\/program \(ENOENT\)$/],
    [`${folder}/nothing.sh`, 'denied', /cannot be started: .*nothing\.sh \(EACCES\)$/],
    [`sh ${folder}/nothing.sh`, 'denied', /TOKEN_COMMAND printed nothing to stdout$/],
    [`sh ${folder}/text.sh`, 'denied', /printed neither a token nor JSON with access_token$/],
    [`sh ${folder}/other.sh`, 'denied', /printed neither a token nor JSON with access_token$/],
    [`sh ${folder}/failing.sh`, 'unavailable', /failed with 7: denied for \[token\] and opaque/],
    [`sh ${folder}/expired.sh`, 'unavailable', /token that expired at 2023-11-14T22:13:20\.000Z$/],
  ] as const) {
    const failure: unknown = await runTokenCommand(command.split(' '), undefined).catch((error) => error)
    t.match(failure, { code, message }, command)
    t.notMatch(String(failure), secret, command)
  }
})

t.test('stderr goes to the log without the token, and the program sees no variable of svc', async (t) => {
  process.env.SVC_SECRET_KEY = 'hidden'
  t.teardown(() => delete process.env.SVC_SECRET_KEY)
  const folder = t.testdir({
    'program.sh': `echo "cached \${SVC_SECRET_KEY-nothing} ${secret}" >&2; echo ${secret}`,
  })
  const logged: object[] = []
  const log = (fields: object) => logged.push(fields)
  const logger = { info: log, warn: log, error: log }
  t.match(await runTokenCommand(['sh', `${folder}/program.sh`], logger), { value: secret })
  t.same(logged, [{ stderr: 'cached nothing [token]' }])
})
