import t from 'tap'
import { connectTo } from '../../api/test/support/repository.js'
import { SHOP } from '../../api/test/support/shop.js'
import { makeRepository } from '../../repositories/test/support/git-repository.js'
import { startWorkspace } from './support/workspace.js'

t.test('the texts of the command line are consistent', async (t) => {
  const workspace = await startWorkspace()
  t.teardown(() => workspace.stop())
  const { sh, put } = workspace

  await t.test('the template of an experiment is accepted unchanged, and the help shows it', async (t) => {
    const { code, out, err } = await sh(
      'svc experiments template > experiment.yaml && svc experiments create experiment.yaml --json',
    )
    t.equal(code, 0, err)
    t.match(JSON.parse(out), { key: 'shorter-checkout', status: 'approved', priority: 'high' })
    t.match((await sh('svc experiments create --help')).out, /^ {2}name: Shorter checkout$/m)
    const { out: shown } = await sh('svc experiments show shorter-checkout')
    t.match(shown, /^surfaces +src\/checkout\.html at #pay$/m)
    t.match(shown, /^three-pages +Three pages +50\.0% +control$/m)
  })

  await t.test('the changes of the template become a pull request', async (t) => {
    const repository = makeRepository(t, {
      files: {
        ...SHOP,
        'src/checkout.html':
          '<!doctype html><html><head><title>Pay</title></head><body><h1>Step 1 of 3</h1><p id="pay"></p></body></html>\n',
      },
    })
    await connectTo(
      workspace.database,
      { id: workspace.service.keys.workspaceId },
      { location: repository.path },
    )
    const { code, out, err } = await sh(
      `svc experiments template | sed -e 's/^# \\(changes:\\|  \\)/\\1/' -e 's/^key: .*/key: with-changes/' |
       svc experiments create - --acknowledge-overlap --wait`,
    )
    t.equal(code, 0, err)
    t.match(out, /^with-changes is waiting for merge\. Pull request open: /)
  })

  await t.test('statuses are words, not names of the API', async (t) => {
    const key = await put('generating_pr')
    for (const line of ['svc experiments list', 'svc counts', `svc experiments status ${key}`])
      t.notMatch((await sh(line)).out, /[a-z]_[a-z]/, line)
    t.match((await sh('svc experiments list')).out, /writing pull request/)
    t.match((await sh('svc counts')).out, /waiting for merge/)
  })

  await t.test('client and service show the same version', async (t) => {
    const { out } = await sh('svc --version')
    t.match((await sh('svc whoami')).out, new RegExp(`^version +${out.trim()}$`, 'm'))
  })
})
