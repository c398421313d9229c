import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { MAIN, svc } from '../../cli/test/support/run.js'
import { packageRoot } from '../../runtime/package-root.js'
import { withoutSvc } from '../support/program.js'
import { startService, temporaryDataDir, until } from '../support/service.js'

/* The commands of docs/operate/first-day.md, as they are written there. */

const guide = readFileSync(join(packageRoot(), 'docs/operate/first-day.md'), 'utf8')

/** The `sh` blocks of a numbered section. */
function blocksOf(section: number): readonly string[] {
  const text = new RegExp(`\\n## ${section}\\. [\\s\\S]*?(?=\\n## |$)`).exec(guide)?.[0] ?? ''
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
}

t.test('the first day works as it is written', { timeout: 600_000 }, async (t) => {
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  const bin = join(data.path, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${MAIN}" "$@"\n`)
  chmodSync(join(bin, 'npx'), 0o755)
  const dataDir = join(data.path, 'data')
  const service = await startService(dataDir)
  t.teardown(() => service.kill())
  const env: Record<string, string | undefined> = {
    ...withoutSvc(process.env),
    PATH: `${bin}:${process.env.PATH ?? ''}`,
    SVC_DATA_DIR: dataDir,
    SVC_API_URL: service.api,
  }
  const run = (script: string): string => {
    const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
      encoding: 'utf8',
      env,
    })
    t.equal(status, 0, `${script}\n${stderr}`)
    return stdout
  }
  const idOf = async (name: string): Promise<string> => {
    const { out } = await svc(['admin', 'person', 'list', '--json'], { SVC_DATA_DIR: dataDir })
    const { data: people } = JSON.parse(out) as { data: { id: string; name: string }[] }
    return people.find((person) => person.name === name)?.id ?? ''
  }
  const keyIn = (text: string): string => /^key +(\S+)$/m.exec(text)?.[1] ?? ''

  const demo = await idOf('Demo Owner')
  for (const line of (blocksOf(2)[0] ?? '').trim().split('\n'))
    run(line.replace('DEMO_OWNER_ID', demo).replace(/\bID\b/, await idOf('Ada')))
  t.notOk(existsSync(join(dataDir, 'dev-keys.json')))
  t.equal(await idOf('Demo Owner'), '', 'Ada is alone')

  const [keys = '', event = ''] = blocksOf(3)
  const [server = '', api = '', list = ''] = keys.trim().split('\n')
  env.SVC_SERVER_KEY = keyIn(run(server))
  env.SVC_API_KEY = keyIn(run(api))
  t.match(run(list), /checkout/)
  const [accepted = '', listed = ''] = event.split('npx ')
  t.match(run(accepted.replace('http://127.0.0.1:8080', service.ingest)), /"accepted":1/)
  const shown = await until(
    async () => run(`npx ${listed}`),
    (text) => text.includes('first_day'),
  )
  t.match(shown, /first_day +user:ada/)

  const [backup = ''] = blocksOf(5)
  const verified = run(backup.replaceAll('/backups/', `${data.path}/`).replaceAll('/tmp/', `${data.path}/`))
  t.match(verified, /checks passed +(\d+) of \1\n/)
  t.match(run(blocksOf(6)[0] ?? ''), /dailyEvents +1000000/)
})
