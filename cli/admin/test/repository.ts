import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import { findCredential, hashCredential } from '../../../postgres/tables/credentials.js'
import { openSecretKey } from '../../../postgres/tables/hashing-key.js'
import { findRepository, tokenOf, webhookSecretOf } from '../../../postgres/tables/repositories.js'
import { withDatabase } from '../../../postgres/test/support/database.js'
import { makeRepository, temporaryFolder } from '../../../repositories/test/support/git-repository.js'
import { startGitHubServer } from '../../../repositories/test/support/github-server.js'
import { loadSecretKeys } from '../../../runtime/secret-key.js'
import { svc } from '../../test/support/run.js'

const { sql, url } = await withDatabase(t)
const secret = Buffer.alloc(32, 3)
const environment = { SVC_POSTGRES_URL: url, SVC_SECRET_KEY: secret.toString('base64') }
const repository = (...args: string[]) => svc(['admin', 'repository', ...args, '--json'], environment)

t.test('svc admin repository connects, shows and disconnects a repository', async (t) => {
  const { out } = await svc(['admin', 'workspace', 'create', '--name', 'Shop', '--json'], environment)
  const { id } = JSON.parse(out) as { id: string }
  t.match(await repository('status'), { code: 1, out: '', err: /\(REPOSITORY_NOT_CONNECTED\)/ })

  const site = makeRepository(t, { files: { 'a.txt': 'a\n' } })
  for (const args of [
    [],
    ['--local', site.path, '--github', 'a/b'],
    ['--github', 'a/b'],
    ['--local', site.path, '--helper', '../x/svc-experiments.js'],
    ['--local', site.path, '--exposures', '/analytics/abtest'],
    ['--local', site.path, '--exposures', '/_svc/state.js'],
  ])
    t.match(await repository('connect', ...args), { code: 2, out: '' }, args.join(' '))
  t.match(await repository('connect', '--local', join(site.path, 'nowhere')), {
    code: 1,
    err: /not connected/,
  })
  t.match(await repository('connect', '--local', site.path, '--branch', 'lost'), {
    code: 1,
    err: /no branch lost/,
  })
  site.git('branch', 'svc')
  t.match(await repository('connect', '--local', site.path), {
    code: 1,
    err: /branch svc .*rename or delete/,
  })
  site.git('branch', '-D', 'svc')
  const connected = await repository(
    'connect',
    '--local',
    site.path,
    '--allow',
    'a/**',
    '--allow',
    'package.json',
  )
  t.equal(connected.code, 0, connected.err)
  t.match(JSON.parse(connected.out), {
    host: 'local',
    branch: 'main',
    ok: true,
    helper: null,
    exposures: '/_svc/exposures',
    allow: ['a/**', 'package.json'],
  })
  site.git('checkout', '-q', '-b', 'feature')
  t.equal((await repository('status')).out, connected.out, 'the base branch does not follow HEAD')

  const github = await startGitHubServer(t, { files: { 'a.txt': 'a\n' } })
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'token'), `${github.token}\n`)
  writeFileSync(join(folder, 'webhook'), 'shared\n')
  const there = ['--github', github.fullName, '--token-file', join(folder, 'token'), '--base-url', github.url]
  const again = await repository('connect', ...there, '--webhook-secret-file', join(folder, 'webhook'))
  t.match(JSON.parse(again.out), { host: 'github', name: github.fullName, ok: true, allow: [] })
  t.notOk(`${again.out}${again.err}`.includes(github.token))
  const row = await findRepository(sql, id)
  t.equal(row && tokenOf(row, secret), github.token)
  t.equal(row && webhookSecretOf(row, secret), 'shared')
  t.throws(() => row && tokenOf(row, Buffer.alloc(32, 4)), { name: 'UnsealError' })

  const next = Buffer.alloc(32, 4)
  const both = {
    ...environment,
    SVC_SECRET_KEY: next.toString('base64'),
    SVC_SECRET_KEY_PREVIOUS: environment.SVC_SECRET_KEY,
  }
  const after = { ...environment, SVC_SECRET_KEY: both.SVC_SECRET_KEY }
  const key = ['admin', 'key', 'create', '--type', 'server', '--name', 'before', '--json']
  const before = JSON.parse((await svc(key, environment)).out) as { key: string }
  const rotate = (keys: Record<string, string>) => svc(['admin', 'secrets', 'rotate', '--json'], keys)
  t.match(await rotate(environment), { code: 2, err: /SVC_SECRET_KEY_PREVIOUS to the one before/ })
  t.match(await rotate(both), { code: 0, out: '{"repositories":2,"hooks":0}\n' })
  t.match(
    await rotate(both),
    { code: 0, out: '{"repositories":2,"hooks":0}\n' },
    'a repetition changes nothing',
  )
  const sealed = await findRepository(sql, id)
  t.equal(sealed && tokenOf(sealed, next), github.token, 'the new key is enough')
  t.equal(sealed && webhookSecretOf(sealed, next), 'shared')
  t.throws(() => sealed && tokenOf(sealed, secret), { name: 'UnsealError' })
  const refused = await svc(['admin', 'workspace', 'list'], environment)
  t.match(refused, { code: 1, err: /SVC_SECRET_KEY is not the key of this database/ })
  t.match(JSON.parse((await svc(['admin', 'repository', 'status', '--json'], after)).out), { ok: true })
  const opened = await openSecretKey(
    sql,
    loadSecretKeys({ secretKey: after.SVC_SECRET_KEY, dataDir: '/nowhere' }),
  )
  t.ok(await findCredential(sql, hashCredential(opened, before.key)), 'keys stay valid')
  t.strictSame(workspaceHashKeys(opened, id), workspaceHashKeys(secret, id), 'ids hash as before')

  environment.SVC_SECRET_KEY = after.SVC_SECRET_KEY
  t.equal((await repository('disconnect')).code, 0)
  t.match(await repository('disconnect'), { code: 1, err: /\(REPOSITORY_NOT_CONNECTED\)/ })
  const audited = await sql<{ action: string }[]>`
    select action from audit_entries where actor_person_name = 'operator' order by id`
  t.strictSame(
    audited.map(({ action }) => action),
    [
      'workspace.create',
      'repository.connect',
      'repository.connect',
      'key.create',
      'secret_key.rotate',
      'secret_key.rotate',
      'repository.disconnect',
    ],
  )
})
