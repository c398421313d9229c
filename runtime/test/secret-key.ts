import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { loadSecretKey } from '../secret-key.js'

t.test('a secret key from the environment is not written to disk', async (test) => {
  const dataDir = test.testdir()
  const key = Buffer.alloc(32, 5)
  test.strictSame(Buffer.from(loadSecretKey({ fromEnvironment: key.toString('base64'), dataDir })), key)
  test.notOk(existsSync(join(dataDir, 'secret.key')))
  for (const wrong of ['', 'short', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64')])
    test.throws(() => loadSecretKey({ fromEnvironment: wrong, dataDir }), {
      name: 'SecretKeyError',
      message: /SVC_SECRET_KEY/,
    })
})

t.test('a secret key is created once, kept, and readable by its owner only', async (test) => {
  const dataDir = join(test.testdir(), 'new')
  const key = loadSecretKey({ dataDir })
  test.equal(key.length, 32)
  test.strictSame(loadSecretKey({ dataDir }), key)
  test.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600)
  test.strictSame(readdirSync(dataDir), ['secret.key'])
})

t.test('processes that start at once get the same secret key', async (test) => {
  const dataDir = test.testdir()
  const script = `import { loadSecretKey } from ${JSON.stringify(new URL('../secret-key.js', import.meta.url).href)}
    process.stdout.write(Buffer.from(loadSecretKey({ dataDir: ${JSON.stringify(dataDir)} })).toString('hex'))`
  const run = promisify(execFile)
  const keys = await Promise.all(
    [1, 2, 3, 4].map(async () => (await run(process.execPath, ['--input-type=module', '-e', script])).stdout),
  )
  test.equal(new Set(keys).size, 1)
  test.match(keys[0], /^[0-9a-f]{64}$/)
})

t.test('a damaged file is never replaced', async (test) => {
  const dataDir = test.testdir({ 'secret.key': 'garbage' })
  test.throws(() => loadSecretKey({ dataDir }), { name: 'SecretKeyError', message: /damaged/ })
  test.equal(readFileSync(join(dataDir, 'secret.key'), 'utf8'), 'garbage')
  writeFileSync(join(dataDir, 'secret.key'), '')
  test.throws(() => loadSecretKey({ dataDir }), { name: 'SecretKeyError' })
})
