import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { svc } from './support/run.js'

t.test('help and version go to standard output', async (test) => {
  for (const args of [['--help'], ['-h'], ['help'], ['admin', '--help'], ['help', 'admin']]) {
    const { code, out, err } = await svc(args)
    test.equal(code, 0, args.join(' '))
    test.match(out, /^Usage: svc/)
    test.equal(err, '')
  }
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    version: string
  }
  test.strictSame(await svc(['--version']), { code: 0, out: `${version}\n`, err: '' })
})

t.test('wrong usage exits with code 2 and a reason on standard error', async (test) => {
  const cases: [string[], RegExp][] = [
    [[], /^Usage: svc/],
    [['admin'], /^Usage: svc admin/],
    [['nonsense'], /unknown command 'nonsense'/],
    [['admin', 'workspace', 'creat'], /unknown command 'creat'\n.*create/],
    [['admin', 'workspace', 'create'], /required option '--name <name>'/],
    [['admin', 'workspace', 'list', '--jso'], /unknown option '--jso'/],
    [['admin', 'workspace', 'list', 'extra'], /too many arguments/],
    [['admin', 'key', 'create', '--type', 'master', '--name', 'x'], /api, server, publishable/],
    [
      ['admin', 'key', 'create', '--type', 'server', '--name', 'x', '--scopes', 'funnels.manage'],
      /type server cannot have the scope funnels.manage/,
    ],
    [
      ['admin', 'key', 'create', '--type', 'api', '--name', 'x', '--scopes', 'funnels.mange'],
      /"funnels.mange".*proposals\.review, experiments\.manage, experiments\.decide, funnels\.manage/,
    ],
    [['admin', 'key', 'revoke'], /missing required argument 'id'/],
    [['admin', 'key', 'revoke', '17'], /'17' is invalid/],
    [['admin', 'session', 'create', '--expires', 'soon'], /30d, 12h or 90m/],
    [['admin', 'person', 'create', '--name', 'Ada', '--email', 'ada'], /email address/],
    [['admin', 'quota', 'set'], /at least one limit/],
    [['admin', 'quota', 'set', '--daily-events', '-1'], /whole number/],
  ]
  await Promise.all(
    cases.map(async ([args, message]) => {
      const { code, out, err } = await svc(args)
      test.equal(code, 2, args.join(' '))
      test.equal(out, '')
      test.match(err, message)
    }),
  )
})

t.test('a wrong or unknown variable exits 2 and is named', async (test) => {
  for (const [name, value] of [
    ['SVC_SECRET_KEY', 'short'],
    ['SVC_DATADIR', '/tmp'],
    ['SVC_POSTGRES_URL', 'mysql://x'],
  ] as const) {
    const { code, err } = await svc(['admin', 'workspace', 'list'], { [name]: value })
    test.equal(code, 2)
    test.match(err, new RegExp(`^svc: ${name} .*\\n$`))
  }
  const { code, err } = await svc(['admin', 'workspace', 'list'], {
    SVC_POSTGRES_URL: 'postgres://127.0.0.1/x',
  })
  test.equal(code, 2)
  test.match(err, /SVC_SECRET_KEY must be set/)
})
