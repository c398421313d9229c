import t from 'tap'
import { surveyOf } from '../../llm/survey.js'
import { BatchRecord } from '../../port.js'
import { html } from '../../test/support/sites.js'
import { requestOf } from '../../test/support/workspace.js'
import { holdsSecret, isSecretPath } from '../secrets.js'

const MIXED = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
const HEX = '0123456789abcdef'

/** Put together here, so that no scanner takes this file for one that holds keys. */
const SECRETS: readonly string[] = [
  `tsk_${'secret'}_${MIXED}`,
  `tsk_${'api'}_${MIXED}`,
  `token = "ghp_${MIXED}"`,
  `AKIA${'ABCD1234EFGH5678'}`,
  `{ apiKey: "${'AIza'}${MIXED.slice(0, 35)}" }, { authDomain: "a.firebaseapp.com" }`,
  `{ authDomain: "a.firebaseapp.com", apiKey: "${MIXED.slice(0, 30)}" }`,
  `https://maps.googleapis.com/maps/api/geocode/json?key=${'AIza'}${MIXED.slice(0, 35)}`,
  `{ "paid": "${MIXED}" }`,
  `data:text/plain;base64,/EAACA${MIXED.repeat(3)}`,
  `-----BEGIN RSA ${'PRIVATE'} KEY-----`,
  'postgres://app:hunter22@db.example.org/app',
  `const apiKey = '${MIXED.slice(0, 20)}'`,
  `sk_${'live'}_${MIXED}`,
  `https://hooks.slack.com/services/${'T0AAAAAAA'}/B0AAAAAAA/${MIXED.slice(0, 24)}`,
  `glpat-${MIXED.slice(0, 20)}`,
  `key-${HEX}${HEX}`,
  `shpat_${HEX}${HEX}`,
  `hf_${MIXED}`,
  `Authorization: Basic ${MIXED.slice(0, 24)}`,
  'DB_PASSWORD=hunter22x',
  'export SMTP_PASSWORD=hunter22x # the mail server',
  'database:\n  password: hunter22x\n',
  `"clientSecret": "${MIXED.slice(0, 24)}"`,
  "config['api_token'] = 'QmFzZVNpeHR5Rm91clRleHQ'",
  `dckr_${'pat'}_${MIXED}`,
  `xkeysib-${HEX}${HEX}`,
  `${HEX}${HEX}-us12`,
  `https://discord.com/api/${'webhooks'}/123456789/${MIXED}${MIXED}`,
  `https://x.blob.core.windows.net/c?sv=2026&sig=${MIXED}${MIXED}`,
  `https://api.example.org/?api_key=${MIXED}`,
  `jdbc:postgresql://db/x?user=u&password=${MIXED.slice(0, 12)}`,
  `<password>${MIXED.slice(0, 12)}</password>`,
  `headers.set('Authorization', 'Bearer ${MIXED}')`,
  `define('DB_PASSWORD', '${MIXED.slice(0, 12)}')`,
  `glcbt-64_${MIXED.slice(0, 20)}`,
  `//registry.npmjs.org/:_authToken=${MIXED}`,
  `${MIXED.slice(0, 14)}.atlasv1.${MIXED}${MIXED}`,
  `rzp_${'live'}_${MIXED.slice(0, 14)}`,
  `https://acme.webhook.office.com/webhookb2/${HEX}@${HEX}/IncomingWebhook/${HEX}`,
  `redis://:${MIXED.slice(0, 16)}@host:6379`,
  `https://${MIXED}@github.com/x/y.git`,
  'curl -u admin:hunter22x https://x.test',
  `-H 'X-Api-Key: ${MIXED}'`,
  `admin:$2y$10$${MIXED}`,
  `MIIEvQIBADANBgkqhkiG9w0${MIXED}`,
  `'-----BEGIN ' + 'RSA ${'PRIVATE'} KEY-----'`,
  `LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0t${MIXED}`,
  `{"kty":"EC","d":"${MIXED}${MIXED}"}`,
  `const token = "ghp_" + "${MIXED}"`,
  `const apiKey: string = '${MIXED}'`,
  `apiKey ||= '${MIXED}'`,
  `process.env.API_KEY ?? '${MIXED}'`,
  `if (token === '${MIXED}')`,
  `setApiKey('${MIXED}')`,
  `createClient(url, '${MIXED}')`,
  `<input type="hidden" name="csrf_secret" value="${MIXED}">`,
  `<add key="ApiKey" value="${MIXED}"/>`,
  'password: |\n  hunter22x\n',
  'password := "hunter22x"',
  '// admin password: hunter22x',
  'passwort = "hunter22x"',
  'contraseña = "hunter22x"',
  'DB_PASS=hunter22x',
  'PGPASSWORD=hunter22x psql',
  `signingKey: '${MIXED.toLowerCase()}'`,
  `DD_APP_KEY: ${MIXED.toLowerCase()}`,
  'HEROKU_API_KEY: 0f3a9b7c-1d2e-4f5a-6b7c-8d9e0f1a2b3c',
  `api\u200bKey = '${MIXED}'`,
  `"{\\"apiKey\\":\\"${MIXED}\\"}"`,
]

t.test('texts that hold a secret are recognised', async (t) => {
  for (const text of SECRETS) t.ok(holdsSecret(text), text.slice(0, 30))
  for (const text of [
    '<label>Password</label><input type="password" placeholder="At least 8 characters">',
    "const password = 'Your password'",
    'secret: process.env.SECRET',
    'https://example.org/a:b@c',
    'api_key = "your-api-key-here-123"',
    `<script data-key="tsk_live_${MIXED}"></script>`,
    'const password2 = password1',
    'password: string',
    'password: z.string().min(8),',
    'tokens = tokensOf(text)',
    'forgotPassword: "Passwort vergessen?"',
    `PASSWORD=\${DB_PASSWORD}`,
    "const TOKEN_KEY = 'auth-token-v2'",
    "secretSanta: 'Gift2024'",
    "designToken: 'space-4-md-2'",
    'https://a.test/photo.png?alt=media&token=417db10b-fab7-49b0-aed0-41fba0c65f32',
    'postgresql://user:password@host/db and postgresql://u.[ref]:[password]@host/db',
    `PUBLIC_KEY: '${MIXED.slice(0, 18)}'`,
    `<script integrity="sha512-${MIXED}${MIXED}==">`,
    `<img src="data:image/png;base64,${MIXED}${MIXED}">`,
    `tokens ('text-display/h1/h2/h3/lead')`,
    "uuid: '0f3a9b7c-1d2e-4f5a-6b7c-8d9e0f1a2b3c'",
    `Authorization: \`Bearer \${token}\``,
    '"live_stream_chat_messages"',
    `firebase.initializeApp({ apiKey: "${'AIza'}${MIXED.slice(0, 35)}", authDomain: "a.firebaseapp.com" })`,
    `<iframe src="https://www.google.com/maps/embed/v1/place?q=A&amp;key=${'AIza'}${MIXED.slice(0, 35)}">`,
    `<script src="https://maps.googleapis.com/maps/api/js?key=${'AIza'}${MIXED.slice(0, 35)}&callback=draw">`,
    `<GoogleMapReact bootstrapURLKeys={{ key: "${'AIza'}${MIXED.slice(0, 35)}" }} />`,
    `{ "id": "dep_${MIXED.slice(0, 25).toUpperCase()}", deploymentId: '${MIXED}' }`,
    `-H "Authorization: Bearer live_YOUR_TOKEN_HERE"`,
    `background: url('data:image/jpeg;base64,/9j/${MIXED}/EAACA${MIXED.repeat(3)}')`,
  ])
    t.notOk(holdsSecret(text), text)
})

t.test('a long file is read in a time that grows with its length', async (t) => {
  const told = (piece: string): boolean => holdsSecret(piece.repeat(200_000 / piece.length))
  for (const piece of [
    'a.b-',
    'password ',
    'key="',
    'token: ( = > ',
    '&token=a1',
    '-----BEGIN ',
    '://a:',
    'x@',
  ])
    t.notOk(told(piece), piece)
})

t.test('files that usually hold secrets are recognised by name', async (t) => {
  for (const path of [
    'app/.env.production',
    'deploy/site.pem',
    'config/secrets.yml',
    'src/secrets.ts',
    '.aws/credentials',
    'infra/terraform.tfstate',
    'keys/my-service-account-prod.json',
    'config/master.key',
    '.npmrc',
    'env.production',
    '.dev.vars',
    'keys.json',
    'src/appsettings.Production.json',
    'config/database.yml',
  ])
    t.ok(isSecretPath(path), path)
  for (const path of [
    'src/environment.ts',
    'src/secretSanta.tsx',
    'pages/credentials-page.html',
    'src/keys.ts',
    'src/password.ts',
    'src/env.d.ts',
    'app/secrets/page.tsx',
    'src/passwords.vue',
    'locales/en/auth.json',
    'locales/de/password.json',
  ])
    t.notOk(isSecretPath(path), path)
})

t.test('a model sees no file with a secret, and no piece of it', async (t) => {
  const page = (more: string): string => html('Page', `<h1>Welcome</h1>${more}`)
  const files = {
    'a.html': page('<p>Hello</p>'),
    'b.html': page(`<!-- tsk_${'secret'}_${MIXED} -->`),
    'secrets.js': page(''),
  }
  const record = new BatchRecord()
  const survey = await surveyOf(requestOf(files), record, undefined)
  t.same(
    survey.pages.map(({ path }) => path),
    ['a.html'],
  )
  t.same(record.dropped(), [{ reason: 'secret', count: 2 }])
})
