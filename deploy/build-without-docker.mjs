#!/usr/bin/env node
// Runs the Dockerfile in plain folders, for machines without a container engine. A stage starts as a copy of
// the folder of its base; base images are what is installed here, so this Node is the Node of the image.
//
//   node deploy/build-without-docker.mjs FOLDER [NAME=VALUE of a build argument …]
//
// Prints the folder of the last stage. Knows FROM, ARG, ENV, WORKDIR, COPY and RUN, with paths below WORKDIR.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const context = join(dirname(fileURLToPath(import.meta.url)), '..')
const [target, ...given] = process.argv.slice(2)
if (target === undefined) throw new Error('usage: build-without-docker.mjs FOLDER [NAME=VALUE …]')
mkdirSync(target, { recursive: true })

const instructions = readFileSync(join(context, 'Dockerfile'), 'utf8')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? []
    return { name, rest }
  })
const args = new Map(given.map((argument) => argument.split(/=(.*)/s).slice(0, 2)))
const folders = new Map()
let stage
const needed = new Set()

const filled = (text) => text.replace(/\$\{(\w+)\}/g, (_, name) => args.get(name) ?? '')
const keepsFile = ignoring(readFileSync(join(context, '.dockerignore'), 'utf8'))

// Builds only the stages that the last one needs, as an engine does.
const stages = []
for (const { name, rest } of instructions) {
  if (name === 'ARG' && stages.length === 0) {
    const [key, value = ''] = rest.split('=')
    if (!args.has(key)) args.set(key, value)
  }
  if (name === 'FROM') {
    const [, base, as = 'last'] = /^(\S+)(?: AS (\S+))?$/.exec(filled(rest)) ?? []
    stages.push({ base, as, from: [] })
  }
  const from = /^--from=(\S+)/.exec(rest)?.[1]
  if (name === 'COPY' && from !== undefined) stages.at(-1).from.push(from)
}
const need = (as) => {
  const one = stages.find((each) => each.as === as)
  if (one === undefined || needed.has(as)) return
  needed.add(as)
  for (const other of [one.base, ...one.from]) need(other)
}
need(stages.at(-1).as)

for (const { name, rest } of instructions) {
  const line = filled(rest)
  if (name === 'FROM') {
    const [, base, as = 'last'] = /^(\S+)(?: AS (\S+))?$/.exec(line) ?? []
    stage = needed.has(as) ? { as, folder: join(resolve(target), as), env: {} } : undefined
    if (stage === undefined) continue
    process.stderr.write(`== ${as}\n`)
    rmSync(stage.folder, { recursive: true, force: true })
    if (folders.has(base))
      cpSync(folders.get(base), stage.folder, { recursive: true, verbatimSymlinks: true })
    else mkdirSync(stage.folder)
    folders.set(as, stage.folder)
  }
  if (stage === undefined) continue
  if (name === 'ENV')
    for (const pair of line.split(/\s+/)) {
      const [key, value] = pair.split('=')
      stage.env[key] = value
    }
  if (name === 'COPY') copy(line.split(/\s+/))
  if (name === 'RUN') run(line)
}
process.stdout.write(`${stage.folder}\n`)

function copy(words) {
  const from = /^--from=(.+)$/.exec(words[0])?.[1]
  const sources = words.slice(from === undefined ? 0 : 1, -1)
  const to = join(stage.folder, words.at(-1))
  for (const source of sources) {
    const path =
      from === undefined ? join(context, source) : join(folders.get(from), relative('/app', source))
    if (!existsSync(path)) throw new Error(`COPY ${source}: there is no such file`)
    const place =
      words.at(-1).endsWith('/') && sources.length >= 1 && source !== '.'
        ? join(to, source.split('/').at(-1))
        : to
    const filter = from === undefined ? (file) => keepsFile(relative(context, file)) : () => true
    for (const entry of source === '.' ? readdirSync(path) : ['']) {
      if (!filter(join(path, entry))) continue
      cpSync(join(path, entry), join(place, entry), { recursive: true, verbatimSymlinks: true, filter })
    }
  }
}

function run(command) {
  // An empty home, so that npm reads no settings except the registry's address.
  const home = mkdtempSync(join(resolve(target), 'home-'))
  const { PATH, HTTP_PROXY, HTTPS_PROXY, NODE_EXTRA_CA_CERTS, npm_config_registry } = process.env
  const env = {
    PATH,
    HTTP_PROXY,
    HTTPS_PROXY,
    NODE_EXTRA_CA_CERTS,
    npm_config_registry,
    ...stage.env,
    HOME: home,
  }
  const { status } = spawnSync('/bin/sh', ['-c', command], {
    cwd: stage.folder,
    stdio: ['ignore', 2, 2],
    env,
  })
  rmSync(home, { recursive: true })
  if (status !== 0) throw new Error(`RUN ${command}: exit ${status}`)
}

/**
 * Tells whether a path belongs to the build context, by the last rule of .dockerignore that matches it or a
 * folder above.
 */
function ignoring(text) {
  const rules = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const pattern = line.replace(/^!/, '')
      const source = pattern
        .replace(/[.+^$()|[\]{}]/g, '\\$&')
        .replace(/\*\*\//g, '(?:.*/)?')
        .replace(/(?<!\.)\*/g, '[^/]*')
      return { keep: line.startsWith('!'), fits: new RegExp(`^${source}(?:/.*)?$`) }
    })
  return (path) => path === '' || (rules.findLast(({ fits }) => fits.test(path))?.keep ?? true)
}
