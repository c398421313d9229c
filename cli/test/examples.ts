import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import t from 'tap'
import type { Status } from '../../domain/lifecycle.js'
import { packageRoot } from '../../runtime/package-root.js'
import { ENTRIES } from '../commands/table.js'
import { openContext } from '../open-context.js'
import type { Terminal } from '../output.js'
import { buildProgram } from '../program.js'
import { startWorkspace, type Workspace } from './support/workspace.js'

const ENVIRONMENT = {
  apiUrl: undefined,
  apiKey: undefined,
  profile: undefined,
  ingestUrl: undefined,
  serverKey: undefined,
  configHome: '/nowhere',
  pager: undefined,
  plain: true,
  unattended: true,
  columns: undefined,
}

/** The examples of the help of every command. */
async function examples(): Promise<string[]> {
  let text = ''
  const terminal: Terminal = {
    out(more) {
      text += more
    },
    err() {},
  }
  const program = await buildProgram(
    ENTRIES.map(({ name }) => name),
    terminal,
    {
      version: '0',
      entries: ENTRIES,
      context: (options) => openContext(terminal, ENVIRONMENT, '0', options),
    },
  )
  const visit = (command: Command): void => {
    command.outputHelp()
    for (const below of command.commands) visit(below)
  }
  for (const command of program.commands) visit(command)
  return [...text.matchAll(/^Examples:\n((?: {2}.*\n?)+)/gm)].flatMap(([, lines = '']) =>
    lines.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()])),
  )
}

/** The status that an experiment of an example is in before it. */
const STATUSES: readonly (readonly [RegExp, Status])[] = [
  [/^svc proposals /, 'proposed'],
  [/^svc experiments (start|update|generate-pr) /, 'approved'],
  [/^svc experiments resume /, 'paused'],
  [/^svc experiments decide /, 'ended'],
  [/^svc experiments /, 'running'],
]

/** What a repository is needed for is refused in words while none is connected; what results are needed for, before there are any. */
const MAY_BE_REFUSED =
  /^svc (generate|proposals revise|experiments generate-pr|experiments results .*--breakdown|readiness|doctor|audit)/

const RUN = '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d63'
const LEARNING = '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d64'

async function prepared(workspace: Workspace, example: string): Promise<string> {
  let line = example
  for (const name of ['shorter-checkout', 'free-shipping'])
    if (line.includes(name)) {
      const status = STATUSES.find(([pattern]) => pattern.test(line))?.[1] ?? 'running'
      line = line.replaceAll(name, await workspace.put(status))
    }
  if (line.includes(RUN)) line = line.replaceAll(RUN, await workspace.putRun('succeeded'))
  if (line.includes(LEARNING)) {
    const key = await workspace.put('running')
    const { out } = await workspace.sh(
      `svc experiments end ${key} --conclude; svc learnings list --search ${key} --json`,
    )
    const list = JSON.parse(out.trim().split('\n').at(-1) ?? '') as { data: { id: string }[] }
    line = line.replaceAll(LEARNING, list.data[0]?.id ?? '')
  }
  return line
}

t.test('every example of the help, and every recipe for pipelines, as it stands', async (t) => {
  const workspace = await startWorkspace()
  t.teardown(() => workspace.stop())
  const { folder, sh, service } = workspace
  const experiment = (name: string) => ({
    name,
    variants: [
      { displayName: 'Control', trafficSplit: 50 },
      { displayName: 'One page', trafficSplit: 50 },
    ],
    conversionTargets: [{ eventName: 'order_paid' }],
  })
  const event = { event: 'order_paid', userId: 'u-1', properties: { plan: 'pro', total: 12 } }
  const files: Readonly<Record<string, string>> = {
    'key.txt': service.keys.apiKey,
    'experiment.yaml': JSON.stringify(experiment('From YAML')),
    'experiment.json': JSON.stringify(experiment('From JSON')),
    'changes.yaml': 'conversionTargets: [{ eventName: order_done }]\n',
    'funnels.yaml':
      'funnels:\n  - name: Checkout\n    steps: [{ eventName: visit }, { eventName: order_paid }]\n',
    'events.ndjson': `${JSON.stringify(event)}\n`,
    'history.csv': 'event,userId,plan,total\nvisit,u-1,pro,3\norder_paid,u-1,pro,007\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  await sh('gzip -k events.ndjson; svc events send events.ndjson; svc funnels apply funnels.yaml')
  // The example that watches needs something to see.
  const beat = setInterval(
    () => void sh(`echo '${JSON.stringify(event)}' | svc events send -`).catch(() => {}),
    3_000,
  )

  const found = await examples()
  t.ok(found.length > 40, `${found.length} examples`)
  for (const example of found) {
    const line = await prepared(workspace, example)
    const { code, err } = await sh(line, { XDG_CONFIG_HOME: join(folder, 'config') })
    const refused = MAY_BE_REFUSED.test(example) && code === 1
    t.ok(code === 0 || refused, `${example}\n${err}`)
  }

  const text = readFileSync(join(packageRoot(), 'docs', 'ci.md'), 'utf8')
  const recipes = [...text.matchAll(/^```sh recipe=([a-z-]+)\n([\s\S]*?)^```$/gm)]
  t.ok(recipes.length >= 7)
  writeFileSync(join(folder, 'funnels.yaml'), files['funnels.yaml'] ?? '')
  await workspace.put('shipped', { key: 'shorter-checkout' })
  for (const [, name, recipe = ''] of recipes) {
    if (name === 'start-merged') {
      await workspace.database
        .sql`update experiments set status = 'ready', decision_outcome = null, decision_variant = null, decided_at = null, settles_at = null, started_at = null, ended_at = null where key = 'shorter-checkout'`
    }
    const { code, err } = await sh(recipe)
    t.equal(code, 0, `${name}\n${err}`)
  }
  clearInterval(beat)
})
