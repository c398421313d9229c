import t from 'tap'
import { holdsSecret, isSecretPath } from '../secrets.js'

t.test('what is a secret', async (t) => {
  const mixed = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
  for (const text of [
    `token = "ghp_${mixed}"`,
    `AKIA${'ABCD1234EFGH5678'}`,
    '-----BEGIN RSA PRIVATE KEY-----',
    'postgres://app:hunter22@db.example.org/app',
    `const apiKey = '${mixed.slice(0, 20)}'`,
    `sk_live_${mixed}`,
  ])
    t.ok(holdsSecret(text), text.slice(0, 30))
  for (const text of [
    '<label>Password</label><input type="password" placeholder="At least 8 characters">',
    "const password = 'Your password'",
    'secret: process.env.SECRET',
    'https://example.org/a:b@c',
    'api_key = "your-api-key-here-123"',
  ])
    t.notOk(holdsSecret(text), text)
  t.ok(isSecretPath('app/.env.production'))
  t.ok(isSecretPath('deploy/site.pem'))
  t.notOk(isSecretPath('src/environment.ts'))
})
