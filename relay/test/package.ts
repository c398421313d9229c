import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'

const relay = join(packageRoot(), 'relay')
const folder = mkdtempSync(join(tmpdir(), 'svc-relay-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} in ${cwd}: ${stdout}${stderr}`)
  return stdout
}

/** A site with the relay installed, offline. */
function install(name: string, from: string): string {
  const site = join(folder, name)
  mkdirSync(site)
  writeFileSync(join(site, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }))
  run('npm', ['install', from, '--offline', '--no-audit', '--no-fund', '--ignore-scripts'], site)
  return site
}

const USE = `import { fetchHandler, nodeHandler } from 'svc-relay'
const options = { ingestUrl: 'http://127.0.0.1:1', serverKey: 'k' }
const node = nodeHandler(options)
const answer = await fetchHandler(options)(new Request('http://a/', { method: 'GET' }))
await node.close()
console.log(answer.status)
`

t.test(
  'the package can be installed from its folder and from an archive, and runs without a build',
  { timeout: 600_000 },
  async (t) => {
    const packed = run('npm', ['pack', '--json', '--pack-destination', folder], relay)
    const [archive] = JSON.parse(packed) as { filename: string; files: { path: string }[] }[]
    const files = archive?.files.map(({ path }) => path) ?? []
    t.ok(files.includes('index.mjs') && files.includes('index.d.mts') && files.includes('README.md'))
    t.same(
      files.filter((path) => /test|tsconfig/.test(path)),
      [],
    )
    for (const [name, from] of [
      ['from-folder', relay],
      ['from-archive', join(folder, archive?.filename ?? '')],
    ] as const) {
      const site = install(name, from)
      writeFileSync(join(site, 'use.js'), USE)
      t.equal(run(process.execPath, ['use.js'], site), '405\n', name)
    }
  },
)

t.test('the package has no dependencies', async (t) => {
  const found = JSON.parse(readFileSync(join(relay, 'package.json'), 'utf8')) as Record<string, unknown>
  t.same(
    Object.keys(found).filter((name) => /dependencies|scripts/i.test(name)),
    [],
  )
})

t.test(
  'the types match the sources, and fit Express, Fastify and plain http',
  { timeout: 600_000 },
  async (t) => {
    const tsc = join(packageRoot(), 'node_modules/.bin/tsc')
    t.doesNotThrow(() => run(tsc, ['-p', relay], packageRoot()))
    const site = install('typed', relay)
    for (const name of ['express', 'fastify', '@types'])
      symlinkSync(join(packageRoot(), 'node_modules', name), join(site, 'node_modules', name))
    writeFileSync(
      join(site, 'use.mts'),
      `import { createServer } from 'node:http'
import express from 'express'
import fastify from 'fastify'
import { fetchHandler, nodeHandler, type RelayFailure } from 'svc-relay'

const handler = nodeHandler({ ingestUrl: 'https://ingest.example', serverKey: 'k', onError: (failure: RelayFailure) => void failure.lost })
createServer(handler)
createServer((request, response) => handler(request, response))
express().use('/_svc', express.json(), handler)
fastify().all('/_svc/*', handler)
const served: true | string | undefined = handler.state('agent')?.experiments.hero
await handler.ready()
fastify().addHook('onRequest', (request, reply, done) => { reply.hijack(); handler(request.raw, reply.raw); done() })
const onEdge: (request: Request) => Promise<Response> = fetchHandler({ ingestUrl: 'https://ingest.example', serverKey: 'k' })
// @ts-expect-error the key is needed
nodeHandler({ ingestUrl: 'https://ingest.example' })
await handler.close()
export { onEdge, served }
`,
    )
    t.doesNotThrow(() =>
      run(
        tsc,
        [
          '--noEmit',
          '--strict',
          '--exactOptionalPropertyTypes',
          '--skipLibCheck',
          '--module',
          'nodenext',
          '--target',
          'es2022',
          'use.mts',
        ],
        site,
      ),
    )
  },
)
