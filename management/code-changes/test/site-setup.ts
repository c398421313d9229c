import t, { type Test } from 'tap'
import { localHost } from '../../../repositories/local/host.js'
import { makeRepository } from '../../../repositories/test/support/git-repository.js'
import { helperSource } from '../../../variants/helper/source.js'
import type { ConnectedRepository } from '../../repositories/index.js'
import { buildCleanup } from '../build-cleanup.js'
import { composeAt } from '../check-changes.js'
import type { WrittenFile } from '../write-changes.js'

const TAG = '<script src="/_svc/state.js"></script>'
const VITE_TAG = '<script vite-ignore src="/_svc/state.js"></script>'
const TEMPLATE =
  '<!doctype html>\n<html>\n  <head>\n    <title>Shop</title>\n  </head>\n  <body></body>\n</html>\n'
const VITE = '{"devDependencies":{"vite":"8.0.0"}}'
const HERO = "export const hero = () => 'Welcome'\n"
/** Without a line about the state, as svc wrote it before. */
const OLD_HELPER = "const EXPOSURES = '/_svc/exposures'\nexport function variant() {}\n"

function siteOf(t: Test, files: Readonly<Record<string, string>>) {
  const repository = makeRepository(t, { bare: false, files })
  const host = localHost({ path: repository.path })
  const settings = { kind: 'local', allow: [], helper: null, exposures: '/_svc/exposures' }
  const connected = { host, settings } as unknown as ConnectedRepository
  return { repository, host, connected }
}
type Site = ReturnType<typeof siteOf>

/** Files that the pull request of an experiment on `path` writes, by path. */
async function written(
  { host, connected }: Site,
  path: string,
  key = 'hero',
  find = "'Welcome'",
): Promise<Map<string, WrittenFile>> {
  const { composed } = await composeAt(connected, await host.head(), {
    key,
    variants: [
      { key: 'control', displayName: 'Control', trafficSplit: 50 },
      { key: 'b', displayName: 'B', trafficSplit: 50 },
    ],
    changes: [{ path, action: 'modify', edits: [{ find, replace: "'Hello'", variant: 'b' }] }],
  } as Parameters<typeof composeAt>[2])
  if (!composed.ok) throw new Error(JSON.stringify(composed))
  return new Map(composed.files.map((file) => [file.path, file]))
}

const commit = ({ repository }: Site, files: Iterable<WrittenFile>): string =>
  repository.commit('main', Object.fromEntries([...files].map(({ path, after }) => [path, after])))

t.test('a bundle loads the state first in its HTML template', async (t) => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, string, string])[] = [
    ['Vite', { 'package.json': VITE, 'index.html': TEMPLATE }, 'index.html', VITE_TAG],
    ['Create React App', { 'public/index.html': TEMPLATE }, 'public/index.html', TAG],
    ['Angular', { 'src/index.html': TEMPLATE }, 'src/index.html', TAG],
    [
      'SvelteKit',
      {
        'package.json': '{"devDependencies":{"vite":"8.0.0","@sveltejs/kit":"3.0.0"}}',
        'src/routes/+layout.js': 'export const ssr = false\n',
        'src/app.html': TEMPLATE,
      },
      'src/app.html',
      TAG,
    ],
  ]
  for (const [name, files, path, tag] of cases) {
    const found = await written(
      siteOf(t, { 'package.json': '{}', 'src/hero.ts': HERO, ...files }),
      'src/hero.ts',
    )
    t.match(found.get(path)?.after, `\n    ${tag}\n`, name)
    t.match(found.get('src/svc-experiments.js')?.after, "const STATE = '/_svc/state.js'", name)
  }
})

const PAGE = TEMPLATE.replace('<body>', "<body><p>'Welcome'</p>")
const POLICY = `<meta http-equiv="Content-Security-Policy" content="connect-src https://api.example">`

t.test('each of several sites in one repository gets its own setup', async (t) => {
  const site = siteOf(t, {
    'package.json': '{}',
    'index.html': TEMPLATE,
    'apps/shop/package.json': VITE,
    'apps/shop/index.html': TEMPLATE,
    'apps/shop/src/hero.ts': HERO,
    'apps/shut/index.html': TEMPLATE.replace('<title>', `${POLICY}<title>`),
    'apps/shut/package.json': VITE,
    'apps/shut/hero.ts': HERO,
    'apps/next/package.json': '{"dependencies":{"next":"16.0.0"}}',
    'apps/next/hero.ts': "export const HERO = 'Welcome'\n",
    '404.html': PAGE,
    'site/404.html': PAGE,
    'public/404/index.html': PAGE,
    '404/index.html': PAGE,
    'help/index.html': PAGE,
  })
  const found = await written(site, 'apps/shop/src/hero.ts')
  t.match(found.get('apps/shop/index.html')?.after, VITE_TAG, 'the template of the package of the sources')
  t.notOk(found.has('index.html'))
  await t.rejects(written(site, 'apps/shut/hero.ts'), /index.html: .* connect-src needs 'self'/)
  await t.rejects(written(site, 'apps/next/hero.ts'), /makes it once/, 'for all visitors of a server')
  for (const [path, src] of [
    ['404.html', '/svc-experiments.js'],
    ['site/404.html', '/svc-experiments.js'],
    ['public/404/index.html', '/404/svc-experiments.js'],
    ['404/index.html', '/404/svc-experiments.js'],
    ['help/index.html', 'svc-experiments.js'],
  ] as const) {
    const page = (await written(site, path)).get(path)?.after
    t.match(page, `<script src="${src}"></script>`, `${path} is served at any path`)
  }
})

t.test('a site with server rendering or without a template gets no script', async (t) => {
  const server = await written(
    siteOf(t, {
      'package.json': '{"dependencies":{"next":"16.0.0"}}',
      'index.html': TEMPLATE,
      'src/hero.ts': HERO,
    }),
    'src/hero.ts',
  )
  t.notOk(server.has('index.html'))
  t.match(server.get('src/svc-experiments.js')?.after, 'SERVER_RENDERED = true')
  const bare = await written(siteOf(t, { 'package.json': VITE, 'src/hero.ts': HERO }), 'src/hero.ts')
  t.same([...bare.keys()].sort(), ['.svc/experiments/hero.json', 'src/hero.ts', 'src/svc-experiments.js'])
})

t.test('a site with Server Components gets the component for them, until no file uses it', async (t) => {
  const part = "export const Part = () => <p>{'Welcome'}</p>\n"
  const files = {
    'package.json': '{"dependencies":{"next":"16.0.0"}}',
    'tsconfig.json': '{}',
    'src/app/layout.tsx': "import '../svc-experiments.js'\n",
    'src/one.tsx': part,
    'src/two.tsx': part,
    'src/for-clients.tsx': `'use client'\n\n${part}`,
  }
  const site = siteOf(t, files)
  const client = await written(site, 'src/for-clients.tsx')
  t.notOk(
    [...client.keys()].some((path) => path.includes('component')),
    'which clients do not need',
  )
  const first = await written(site, 'src/one.tsx')
  t.match(first.get('src/one.tsx')?.after, "import { SvcVariant } from './svc-experiments-component.js'")
  t.match(first.get('src/svc-experiments-component.js')?.after, "'use client'\n")
  t.match(first.get('src/svc-experiments-component.d.ts')?.after, 'export function SvcVariant')
  const commits = { hero: commit(site, first.values()), other: '' }
  const second = await written(site, 'src/two.tsx', 'other')
  t.same([...second.keys()].sort(), ['.svc/experiments/other.json', 'src/two.tsx'])
  commits.other = commit(site, second.values())
  const cleanUp = async (key: 'hero' | 'other'): Promise<string[]> => {
    const head = await site.host.head()
    const request = { key, shipped: null, written: commits[key], head, usedIn: new Set<string>() }
    const { files: changed } = await buildCleanup(site.connected, request)
    commit(site, changed)
    return site.repository.git('ls-tree', '-r', '--name-only', 'main').split('\n')
  }
  t.ok((await cleanUp('hero')).includes('src/svc-experiments-component.js'), 'the other one needs it')
  t.same(
    await cleanUp('other'),
    [...Object.keys(files), 'src/svc-experiments.d.ts', 'src/svc-experiments.js'].sort(),
    'the helper stays for the lines that name the visitor',
  )
})

t.test('a helper from before the serving state is replaced in place', async (t) => {
  const files = { 'package.json': VITE, 'index.html': TEMPLATE, 'src/hero.ts': HERO }
  const old = siteOf(t, {
    ...files,
    'src/svc-experiments.js': OLD_HELPER.replace('export', 'const SERVER_RENDERED = true\nexport'),
    'src/svc-experiments.d.ts': 'old\n',
  })
  const replaced = await written(old, 'src/hero.ts')
  t.equal(
    replaced.get('src/svc-experiments.js')?.after,
    helperSource('module', { exposures: '/_svc/exposures', serverRendered: true }),
  )
  t.match(replaced.get('src/svc-experiments.d.ts')?.after, 'stateFrom')
  t.notOk(replaced.has('index.html'))
  const today = siteOf(t, {
    ...files,
    'src/svc-experiments.js': `// Ours\n${helperSource('module', { exposures: '/_svc/exposures' })}`,
  })
  const kept = await written(today, 'src/hero.ts')
  t.notOk(kept.has('src/svc-experiments.js'))
  t.match(kept.get('index.html')?.after, VITE_TAG, 'its template lacked the tag')
})

t.test('the last cleanup removes the tag, even if the template has moved', async (t) => {
  const files = {
    'package.json': VITE,
    'index.html': TEMPLATE,
    'src/hero.ts': HERO,
    'src/other.ts': HERO,
  }
  const site = siteOf(t, files)
  const first = commit(site, (await written(site, 'src/hero.ts')).values())
  const second = commit(site, (await written(site, 'src/other.ts', 'other')).values())
  const tagged = site.repository.git('show', 'main:index.html')
  t.equal(tagged.split('state.js').length, 2, 'once')
  const moved = site.repository.commit('main', { 'index.html': null, 'web/index.html': `${tagged}\n` })
  const usedIn = new Set<string>()
  const one = await buildCleanup(site.connected, {
    key: 'hero',
    shipped: null,
    written: first,
    head: moved,
    usedIn,
  })
  t.same(one.files.map(({ path }) => path).sort(), ['.svc/experiments/hero.json', 'src/hero.ts'])
  const head = commit(site, one.files)
  const last = await buildCleanup(site.connected, {
    key: 'other',
    shipped: null,
    written: second,
    head,
    usedIn,
  })
  commit(site, last.files)
  const left = site.repository.git('ls-tree', '-r', '--name-only', 'main').split('\n')
  t.same(left, ['package.json', 'src/hero.ts', 'src/other.ts', 'web/index.html'])
  t.equal(`${site.repository.git('show', 'main:web/index.html')}\n`, TEMPLATE)
})
