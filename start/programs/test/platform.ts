import { buildForThisSystem, chooseBuild, type System } from 'uWebSockets.js/build'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/package-root.js'
import { platformProblem } from '../platform.js'

const root = packageRoot()
const ABI: Readonly<Record<string, string>> = { 20: '115', 22: '127', 23: '131', 24: '137', 25: '141' }

/** A system with the packages installed here. */
function system(node: string, glibc: string | undefined, more: Partial<System> = {}): System {
  const folders = new Map([
    ['@btc-vision/uwebsockets.js', join(root, 'node_modules/@btc-vision/uwebsockets.js')],
    [
      '@trufflesuite/uws-js-unofficial/package.json',
      join(root, 'node_modules/@trufflesuite/uws-js-unofficial'),
    ],
  ])
  const here = buildForThisSystem()
  return {
    platform: 'linux',
    arch: 'x64',
    node: `${node}.1.0`,
    modules: ABI[node] ?? '0',
    glibc,
    folderOf: (entry) => folders.get(entry),
    // The tarballs hold all of them; an installation may have kept what fits here only.
    exists: (file) => BINARIES.test(file) || ('file' in here && file === here.file),
    ...more,
  }
}

const BINARIES =
  /(btc-vision\/uwebsockets\.js\/uws_(linux|darwin|win32)_(x64|arm64)_(115|127|137|141)|uws-js-unofficial\/binaries\/uws_(linux|darwin|win32)_(x64|arm64)_(93|108|115))\.node$/

const CURRENT = '@btc-vision/uwebsockets.js'
const OLDER = '@trufflesuite/uws-js-unofficial'

t.test('the newest build of uWebSockets.js that fits the platform is chosen', (t) => {
  for (const [node, glibc, name] of [
    ['20', '2.36', OLDER],
    ['20', '2.37', OLDER],
    ['20', '2.38', CURRENT],
    ['22', '2.38', CURRENT],
    ['24', '2.41', CURRENT],
    ['25', '3.0', CURRENT],
  ] as const)
    t.match(chooseBuild(system(node, glibc)), { package: name }, `Node ${node}, glibc ${glibc}`)
  for (const platform of ['darwin', 'win32'])
    t.match(chooseBuild(system('24', undefined, { platform, arch: 'arm64' })), { package: CURRENT }, platform)
  t.end()
})

t.test('the refusal names what is missing, in one line', (t) => {
  const refused = (name: string, of: System, ...said: readonly RegExp[]): void => {
    const { problem } = chooseBuild(of)
    for (const each of said) t.match(problem, each, name)
    t.notMatch(problem, /\n/)
  }
  refused(
    'an older system',
    system('24', '2.36'),
    /Node 24\.1\.0/,
    /needs glibc 2\.38/,
    /has 2\.36/,
    /Node 20/,
  )
  refused('a very old one', system('20', '2.17'), /needs glibc 2\.27/, /has 2\.17/)
  refused('another C library', system('22', undefined), /musl/)
  refused('another C library on Node 20', system('20', undefined), /musl/)
  refused('an odd version', system('23', '2.41'), /no uWebSockets\.js binary/, /20, 22 or 24/)
  refused('an older version', system('18', '2.41'), /no uWebSockets\.js binary/)
  refused('another machine', system('24', '2.41', { arch: 's390x' }), /linux-s390x/)
  refused('nothing installed', system('24', '2.41', { folderOf: () => undefined }), /npm ci/)
  t.end()
})

t.test('this machine is supported', (t) => {
  t.equal(platformProblem(), undefined)
  const { engines, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    engines: { node: string }
    dependencies: Readonly<Record<string, string>>
  }
  t.equal(engines.node, '^20.18 || ^22 || ^24')
  t.match(dependencies[CURRENT], /^\d/, 'an exact version, since its files were compared')
  t.match(dependencies[OLDER], /^\d/)
  t.end()
})

t.test('hyper-express and the gateway load the same build', (t) => {
  const script = `
    const { createRequire } = require('node:module')
    const ours = require.resolve('uWebSockets.js')
    const theirs = createRequire(require.resolve('hyper-express')).resolve('uWebSockets.js')
    const native = String(require(ours).App).includes('[native code]')
    console.log(JSON.stringify([ours === theirs, native]))`
  const { stdout } = spawnSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' })
  t.same(JSON.parse(stdout), [true, true])
  t.end()
})
