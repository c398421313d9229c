import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import t from 'tap'
import { connectTo } from '../../api/test/support/repository.js'
import { SHOP } from '../../api/test/support/shop.js'
import type { Status } from '../../domain/lifecycle.js'
import { makeRepository } from '../../repositories/test/support/git-repository.js'
import { packageRoot } from '../../runtime/package-root.js'
import { until } from '../../test/support/service.js'
import { COMMANDS } from '../commands/table.js'
import { createContext } from '../create-context.js'
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
  noColor: true,
  nonInteractive: true,
  columns: undefined,
}

const { 'index.html': home, 'contact.html': contact } = SHOP

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
    COMMANDS.map(({ name }) => name),
    terminal,
    {
      version: '0',
      entries: COMMANDS,
      context: (options) => createContext(terminal, ENVIRONMENT, '0', options),
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

const RUN = '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d63'
const LEARNING = '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d64'
const HOOK = '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d70'
const DELIVERY = '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d71'

async function prepared(workspace: Workspace, example: string): Promise<string> {
  let line = example
  if (line.startsWith('svc generate ')) await untilNoRun(workspace)
  if (line.startsWith('svc proposals revise '))
    // Instructions can only revise a generated proposal.
    line = line.replace('shorter-checkout', await generated(workspace))
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
  if (line.includes(HOOK)) line = await withHook(workspace, line)
  return line
}

/** A webhook that no name server knows, and the delivery that says it was created. */
async function withHook({ sh, service }: Workspace, line: string): Promise<string> {
  const session = { SVC_API_KEY: service.keys.sessionToken }
  const { out } = await sh("svc hooks create https://hooks.example.com/ --kinds '*' --json", session)
  const { id } = JSON.parse(out) as { id: string }
  const made = await sh(`svc hooks deliveries ${id} --json`, session)
  const { data } = JSON.parse(made.out.trim().split('\n').at(-1) ?? '') as { data: { id: string }[] }
  return line.replaceAll(HOOK, id).replaceAll(DELIVERY, data[0]?.id ?? '')
}

/** One batch at a time. */
const untilNoRun = (workspace: Workspace): Promise<unknown> =>
  until(
    () => workspace.sh('svc runs list --json'),
    ({ out }) => !/"status":"(queued|running)"/.test(out),
    60,
  )

/** The key of a proposal that a batch has left on the contact page. */
async function generated(workspace: Workspace): Promise<string> {
  await untilNoRun(workspace)
  const { out } = await workspace.sh('svc proposals list --json')
  const { data } = JSON.parse(out) as { data: { key: string; surfaces: { path: string }[] }[] }
  return data.find(({ surfaces }) => surfaces[0]?.path === 'contact.html')?.key ?? ''
}

t.test('every example of the help and every recipe for pipelines works as written', async (t) => {
  const workspace = await startWorkspace()
  t.teardown(() => workspace.stop())
  const { folder, sh, service } = workspace
  const repository = makeRepository(t, { files: { 'index.html': home, 'contact.html': contact } })
  await connectTo(workspace.database, { id: service.keys.workspaceId }, { location: repository.path })
  await sh('svc generate --wait')
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
    'insight.yaml':
      'name: Revenue\nkind: trends\nquery:\n  series: [{ eventName: order_paid, measure: sum, property: total }]\n',
    'orders.json': JSON.stringify({
      name: 'Orders',
      kind: 'retention',
      query: { startEvent: 'visit', returnEvent: 'order_paid' },
    }),
    'events.ndjson': `${JSON.stringify(event)}\n`,
    'stats.json': JSON.stringify({ acceptedByHour: { '2026-01-01T00:00:00.000Z': 0 } }),
    'history.csv': 'event,userId,plan,total\nvisit,u-1,pro,3\norder_paid,u-1,pro,007\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  await sh(
    'gzip -k events.ndjson; svc events send events.ndjson; svc funnels apply funnels.yaml; svc insights create orders.json',
  )
  // The example that watches needs something to see.
  const beat = setInterval(
    () => void sh(`echo '${JSON.stringify(event)}' | svc events send -`).catch(() => {}),
    3_000,
  )

  const found = await examples()
  t.ok(found.length > 40, `${found.length} examples`)
  for (const example of found) {
    const line = await prepared(workspace, example)
    const { code, err } = await sh(line, {
      XDG_CONFIG_HOME: join(folder, 'config'),
      // Audit, erasures and webhooks are for people alone.
      ...(/^svc (audit|privacy|hooks)/.test(line) ? { SVC_API_KEY: service.keys.sessionToken } : {}),
    })
    t.equal(code, 0, `${example}\n${err}`)
  }

  const text = readFileSync(join(packageRoot(), 'docs', 'reference', 'ci.md'), 'utf8')
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
