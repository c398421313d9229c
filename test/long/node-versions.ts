import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'

/**
 * The service and a test of each native package on the other versions of Node that `engines` names, with the
 * binaries of production. The versions come from npm. If this system is older than they need, the next
 * Debian's C library is used beside it (`scripts/node-beside.mjs`). If those cannot be downloaded, nothing is
 * run.
 */
/** `TEST_NODE_VERSIONS=22,24`: asked for by name, since it downloads 150 MB and takes ten minutes. */
const VERSIONS = (process.env.TEST_NODE_VERSIONS ?? '').split(',').filter((version) => version !== '')
const PARTS = join(tmpdir(), 'svc-node-versions')
/**
 * They cover both HTTP servers, LMDB, Postgres, chdb, Kafka's codecs and checksums, the programs, and all of
 * it in one.
 */
const FILES = [
  'ingest/http/test/uws',
  'ingest/test/server',
  'api/test/exchange',
  'api/test/server',
  'start/programs/test/platform',
  'log/embedded/test/log',
  'log/kafka/test/log',
  'clickhouse/embedded/test/open',
  'consumers/events/test/pipeline',
  'test/e2e/hidden-requests',
  'test/e2e/start',
  'test/e2e/readme',
  // The archive of the command line, too, runs on the Node of its caller.
  'cli/test/life',
]
const FILE_MS = 240_000

interface Ended {
  readonly code: number | null
  readonly output: string
}

function run(command: string, args: readonly string[], path = process.env.PATH ?? ''): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: packageRoot(),
      env: { ...process.env, PATH: path, TAP_TIMEOUT: String(FILE_MS / 1_000) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const keep = (data: Buffer): void => {
      output += data.toString()
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const limit = setTimeout(() => child.kill('SIGKILL'), FILE_MS)
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(limit)
      resolve({ code, output })
    })
  })
}

t.setTimeout(VERSIONS.length * FILES.length * FILE_MS)

const had =
  VERSIONS.length === 0
    ? { code: null, output: '' }
    : await run(process.execPath, ['scripts/node-beside.mjs', PARTS, ...VERSIONS])
const nodes = had.output
  .trim()
  .split('\n')
  .filter((line) => existsSync(line))
const missing =
  had.code === 0 && nodes.length === VERSIONS.length
    ? false
    : `optional: Node ${VERSIONS.join(' and ')} cannot be had here: ${/Error: (.*)/.exec(had.output)?.[1] ?? had.output}`

if (VERSIONS.length === 0)
  t.test(
    'other versions of Node run the tests',
    { skip: 'optional: set TEST_NODE_VERSIONS=22,24 to try them' },
    () => {},
  )
for (const [at, version] of VERSIONS.entries())
  t.test(`Node ${version}`, { skip: missing }, async (t) => {
    const node = nodes[at] ?? ''
    const { output } = await run(node, [
      '-p',
      "process.version + ' ' + require('uWebSockets.js/build').buildForThisSystem().package",
    ])
    t.match(output, new RegExp(`^v${version}\\.\\S+ @btc-vision/uwebsockets\\.js$`, 'm'))
    for (const file of FILES) {
      // First in the path too, because `npm start` uses the Node of the path.
      const ended = await run(
        node,
        ['--enable-source-maps', join('dist', `${file}.js`)],
        `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
      )
      const failures = ended.output.split('\n').filter((line) => /^ *not ok|^\S*Error/.test(line))
      t.equal(ended.code, 0, `${file} ${failures.slice(0, 5).join('; ')}`)
    }
  })
