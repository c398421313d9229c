import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { CLIENT_VARIABLES, parseConfig } from '../../runtime/config.js'
import { packageRoot } from '../../runtime/package-root.js'
import { startService, temporaryDataDir } from '../support/service.js'

const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8')

t.test('the tour works as it is written', { timeout: 600_000 }, async (t) => {
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  const service = await startService(data.path)
  t.teardown(() => service.stop())
  const tour = /## A tour with curl\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? ''
  const blocks = [...tour.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1])
  t.equal(blocks.length, 5)
  const script = blocks
    .join('\necho "=== next"\n')
    .replaceAll('http://127.0.0.1:8080', service.ingest)
    .replaceAll('http://127.0.0.1:8081', service.api)
    .replaceAll('./data/dev-keys.json', join(data.path, 'dev-keys.json'))
  const run = spawnSync('bash', ['-euo', 'pipefail', '-c', script], { encoding: 'utf8' })
  t.equal(run.status, 0, run.stderr)
  const [, accepted = '', names = '', funnel = '', refusal = ''] = run.stdout.split('=== next\n')
  t.match(JSON.parse(accepted), { accepted: 4 })
  t.strictSame(
    (JSON.parse(names) as { data: { eventName: string; count: number }[] }).data.map((row) => [
      row.eventName,
      row.count,
    ]),
    [
      ['page_viewed', 2],
      ['purchased', 1],
      ['signed_up', 1],
    ],
  )
  t.match(JSON.parse(funnel), { entered: 2, completed: 1, conversionRate: 0.5 })
  t.match(JSON.parse(refusal), { code: 'VALIDATION_FAILED', field: 'events[0].event' })
  // The blocks of answers show keys that are really there.
  for (const [shown, real] of [
    [/\{"accepted".*\}/, accepted],
    [/\{"code":"VALIDATION_FAILED".*\}/, refusal],
  ] as const) {
    const keys = [...(shown.exec(tour)?.[0] ?? '').matchAll(/"(\w+)":/g)].map((match) => match[1])
    for (const key of keys) t.ok(real.includes(`"${key}":`), `the answer has ${key}`)
  }
})

t.test('the table of variables holds exactly those that there are', async (t) => {
  const section = /## Configuration\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? ''
  const documented = new Set(
    [...section.matchAll(/`((?:SVC|OTEL)_[A-Z0-9_]+)`/g)].map((match) => match[1] ?? ''),
  )
  const asked = new Set<string>()
  const environment = new Proxy({} as Record<string, string>, {
    get: (_, name) => {
      asked.add(String(name))
      return undefined
    },
  })
  parseConfig(environment)
  for (const name of CLIENT_VARIABLES) asked.add(name)
  t.strictSame([...documented].sort(), [...asked].sort())
})
