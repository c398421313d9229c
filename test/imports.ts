import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../runtime/package-root.js'
import { script } from './support/scripts.js'

const { rootFolders } = await script<{ rootFolders(): string[] }>('folders.mjs')
const FOLDERS = rootFolders().filter((folder) => folder !== 'bench' && folder !== 'test')

interface Cruise {
  modules: { source: string; dependencies: { resolved: string }[] }[]
  summary: { violations: { from: string; to: string; rule: { name: string } }[] }
}

function cruise(root: string, folders: readonly string[]): Cruise {
  const { stdout, stderr } = spawnSync(
    join(packageRoot(), 'node_modules/.bin/depcruise'),
    ['--config', '.dependency-cruiser.json', '--output-type', 'json', ...folders],
    { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
  )
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Cruise
}

type Import = readonly [from: string, to: string]

/**
 * The imports on a circle between rooms. A folder of this depth is one room, and each file above it is a room
 * by itself. Depth 1: `cli/render/` is a room, `cli/context.ts` another.
 */
function circlesOfRooms(imports: readonly Import[], depth: number): Import[] {
  const roomOf = (file: string): string => {
    const parts = file.split('/')
    return parts.length > depth + 1 ? `${parts.slice(0, depth + 1).join('/')}/` : file
  }
  let left = imports.filter(([from, to]) => roomOf(from) !== roomOf(to))
  for (let before = -1; before !== left.length; ) {
    before = left.length
    const importing = new Set(left.map(([from]) => roomOf(from)))
    const imported = new Set(left.map(([, to]) => roomOf(to)))
    left = left.filter(([from, to]) => imported.has(roomOf(from)) && importing.has(roomOf(to)))
  }
  return left
}

t.test('imports follow the rules, without circles of files or rooms', async (t) => {
  const { modules, summary } = cruise(packageRoot(), [...FOLDERS, 'bench'])
  t.same(
    summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} imports ${to}`),
    [],
  )
  const isProduct = (file: string): boolean => !/(^|\/)(test|node_modules)\//.test(file)
  const imports = modules
    .flatMap(({ source, dependencies }) => dependencies.map(({ resolved }): Import => [source, resolved]))
    .filter((both) => both.every(isProduct))
  t.ok(imports.length > 3_000, `${imports.length} imports`)
  for (const depth of [1, 2]) t.same(circlesOfRooms(imports, depth), [], `no circle at depth ${depth}`)
})

t.test('a circle of rooms is found, though no file is on a circle', async (t) => {
  const circle: Import[] = [
    ['a/one/1.ts', 'a/context.ts'],
    ['a/context.ts', 'a/two/2.ts'],
    ['a/two/deep/3.ts', 'a/one/4.ts'],
  ]
  const straight: Import[] = [
    ['a/main.ts', 'a/one/1.ts'],
    ['a/two/2.ts', 'b/3.ts'],
  ]
  t.same(circlesOfRooms([...straight, ...circle], 1), circle)
  t.same(circlesOfRooms([...straight, ...circle], 2), [])
})

/** For each rule a file and an import that it forbids; `b` beside `a` imports it back. */
const BREACHES: Readonly<Record<string, readonly [file: string, imported: string]>> = {
  'no-cycles': ['runtime/a.ts', './b.js'],
  'domain-is-pure': ['domain/a.ts', 'node:fs'],
  'distributions-from-a-library': ['domain/statistics/distributions.ts', 'node:fs'],
  'contract-is-what-is-said': ['api/a.ts', '../contract/operations.js'],
  'contract-stands-alone': ['contract/a.ts', '../domain/plain.js'],
  'floor-runtime': ['runtime/up.ts', '../log/plain.js'],
  'floor-adapters': ['postgres/up.ts', '../management/plain.js'],
  'adapters-do-not-know-each-other': ['postgres/a.ts', '../log/plain.js'],
  'generators-know-variants': ['generators/a.ts', '../repositories/plain.js'],
  'floor-backup': ['backup/a.ts', '../management/plain.js'],
  'floor-management': ['management/up.ts', '../api/plain.js'],
  'floor-stages': ['ingest/a.ts', '../consumers/plain.js'],
  'consumers-dedup-stands-alone': ['consumers/dedup/a.ts', '../blocks/plain.js'],
  'consumers-blocks-are-pure': ['consumers/blocks/a.ts', '../../postgres/plain.js'],
  'consumers-partitions-know-no-consumer': ['consumers/partitions/a.ts', '../replays/plain.js'],
  'consumers-do-not-know-each-other': ['consumers/replays/a.ts', '../identity/plain.js'],
  'consumers-operations-watch': ['consumers/operations/a.ts', '../events/plain.js'],
  'log-port-knows-no-adapter': ['log/a.ts', './embedded/plain.js'],
  'log-adapters-do-not-know-each-other': ['log/embedded/a.ts', '../kafka/plain.js'],
  'kafka-rooms': ['log/kafka/consume/a.ts', '../append/plain.js'],
  'management-is-for-the-api': ['consumers/a.ts', '../management/plain.js'],
  'management-core-knows-no-feature': ['management/experiments/a.ts', '../results/index.js'],
  'management-jobs-know-no-feature': ['management/jobs/a.ts', '../pull-requests/index.js'],
  'management-repositories-know-no-room': ['management/repositories/a.ts', '../experiments/index.js'],
  'management-code-changes-below-features': ['management/code-changes/a.ts', '../pull-requests/index.js'],
  'management-features-stand-alone': ['management/results/a.ts', '../learnings/index.js'],
  'management-proposals-know-learnings': ['management/proposals/a.ts', '../results/index.js'],
  'management-workflows-on-top': ['management/learnings/a.ts', '../workflows/approve.js'],
  'management-rooms-by-their-index': ['management/workflows/a.ts', '../results/store.js'],
  'management-context-knows-ports': ['management/context.ts', './results/index.js'],
  'http-layer-knows-no-feature': ['api/http/a.ts', '../funnels/plain.js'],
  'cli-speaks-http': ['cli/a.ts', '../management/plain.js'],
  'cli-admin': ['cli/admin/a.ts', '../../management/plain.js'],
  'relay-stands-alone': ['relay/a.ts', '../domain/text/plain.js'],
  'sdk-stands-alone': ['sdk/node/a.ts', '../../domain/text/plain.js'],
  'console-stands-alone': ['console/a.ts', '../domain/plain.js'],
  'one-door-to-uws': ['api/uws.ts', '../packages/uwebsockets/index.js'],
}

t.test('each rule refuses an import that it forbids', async (t) => {
  const config = readFileSync(join(packageRoot(), '.dependency-cruiser.json'), 'utf8')
  const { forbidden } = JSON.parse(config) as { forbidden: { name: string }[] }
  t.same(Object.keys(BREACHES).sort(), forbidden.map(({ name }) => name).sort(), 'one breach for each')
  const root = t.testdir()
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  write('.dependency-cruiser.json', config)
  write('tsconfig.json', readFileSync(join(packageRoot(), 'tsconfig.json'), 'utf8'))
  for (const [file, imported] of Object.values(BREACHES)) {
    write(file, `import '${imported}'\n`)
    if (imported.startsWith('.'))
      write(
        join(dirname(file), imported).replace(/\.js$/, '.ts'),
        imported === './b.js' ? "import './a.js'\n" : '',
      )
  }
  const { summary } = cruise(root, ['.'])
  const broken = (rule: string, file: string): boolean =>
    summary.violations.some(({ from, rule: { name } }) => name === rule && from === file)
  t.same(
    Object.entries(BREACHES).flatMap(([rule, [file]]) => (broken(rule, file) ? [] : [rule])),
    [],
  )
})

t.test('the environment is read in config files only', async (t) => {
  const root = packageRoot()
  const readers = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => join(folder, file))
      .filter((file) => file.endsWith('.ts') && !file.includes('/test/'))
      .filter((file) => /process\.env\b/.test(readFileSync(join(root, file), 'utf8'))),
  )
  const allowed = (file: string): boolean =>
    file.endsWith('config.ts') || file === 'start/programs/from-environment.ts'
  t.same(
    readers.filter((file) => !allowed(file)),
    [],
  )
})
