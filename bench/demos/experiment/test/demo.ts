import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../../runtime/package-root.js'
import { outputOf } from '../../../../test/support/output.js'
import { withoutSvc } from '../../../../test/support/program.js'
import { compiledRoot, temporaryDataDir, until } from '../../../../test/support/service.js'

/*
 * The demo as a person runs it. It checks itself that the service counted what the visitors did and that the
 * cleanup left the edits by hand.
 */
t.test(
  'the demo runs an experiment from its declaration to a learning and leaves nothing behind',
  { timeout: 600_000 },
  async (t) => {
    const folder = temporaryDataDir()
    t.teardown(() => folder.remove())
    const child = spawn(
      process.execPath,
      [join(packageRoot(), compiledRoot(), 'bench', 'demo.js'), 'experiment', '--serve'],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...withoutSvc(process.env), TMPDIR: folder.path },
      },
    )
    t.teardown(() => child.kill('SIGKILL'))
    const output = outputOf(child)
    await until(
      async () => output.out,
      (text) => /the repository .*\n$/.test(text) || child.exitCode !== null,
      240,
    )
    const said = output.out
    t.notMatch(output.err, /Error|✗/)
    t.equal((said.match(/^✓/gm) ?? []).length, 13, said)
    t.match(
      said,
      /^\+\s+<template data-svc="home-promise" data-svc-variant="free-returns"><h1>/m,
      'the first diff',
    )
    t.match(said, /^\+\s+<h1>Sleep in it before you keep it<\/h1>$/m, 'the second one')
    t.match(said, /^ {2}\$ svc experiments decide home-promise --ship free-returns --reason 'More orders'$/m)
    t.match(said, /^free-returns .*├.*●.*┤/m, 'results are drawn')
    t.match(said, /Free returns was shipped\./, 'and put in words')

    const page = async (what: string): Promise<string> => {
      const url = new RegExp(`^${what} +(\\S+)$`, 'm').exec(said)?.[1] ?? ''
      const answer = await fetch(url)
      t.equal(answer.status, 200, url)
      return answer.text()
    }
    t.notMatch(await page('the shop now'), /svc/, 'the shop knows nothing of experiments any more')
    t.match(await page('while it ran, Next day'), /data-svc="home-promise:today=34/)
    t.match(await page('the API, to try'), /<html/)

    // A terminal sends it to npm as well, which passes it on.
    child.kill('SIGINT')
    child.kill('SIGINT')
    t.equal(await output.ended, 0)
    t.strictSame(readdirSync(folder.path), [])
  },
)

t.test('an unknown argument ends the demo with its usage', async (t) => {
  const child = spawn(
    process.execPath,
    [join(packageRoot(), compiledRoot(), 'bench', 'demo.js'), 'experiment', '--fast'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const output = outputOf(child)
  t.equal(await output.ended, 2)
  t.match(output.err, /npm run demo -- experiment \[--serve\]/)
})
