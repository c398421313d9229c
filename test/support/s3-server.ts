import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { classPathOf, findProgramProblem, type MavenProgram } from './maven.js'
import { freePort } from './network/free-port.js'
import { spawnOwned } from './spawn-owned.js'
import type { Teardown } from './stores.js'

const S3PROXY: MavenProgram = {
  title: 'S3Proxy',
  name: 's3proxy',
  version: '4.1.0',
  dependencies: [
    { groupId: 'org.gaul', artifactId: 's3proxy', version: '4.1.0' },
    // Of the two versions that it asks for, Maven would choose the one that is too old.
    { groupId: 'com.fasterxml.jackson.core', artifactId: 'jackson-annotations', version: '2.21' },
  ],
}
const READY_MS = 60_000
/** Tests move the clock of svc by days. */
const CLOCK_SKEW_SECONDS = 30 * 86_400

/** A server with the API of S3, one bucket and one key. It checks signatures. */
export interface S3Server {
  readonly endpoint: string
  readonly port: number
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Objects by name: the files that have their contents. */
  objects(): ReadonlyMap<string, string>
}

/** The reason of a skip, if this machine cannot run it. */
export function s3Problem(): string | undefined {
  return findProgramProblem(S3PROXY)
}

/** S3Proxy from Maven Central on a folder. Look at `s3Problem()` first. */
export async function startS3Server(t: Teardown): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-s3-'))
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const [bucket, accessKeyId, secretAccessKey] = ['archive', 'test-access-key', 'test-secret-key']
  const root = join(folder, 'objects')
  mkdirSync(join(root, bucket), { recursive: true })
  const properties = {
    's3proxy.endpoint': endpoint,
    's3proxy.authorization': 'aws-v4',
    's3proxy.identity': accessKeyId,
    's3proxy.credential': secretAccessKey,
    's3proxy.maximum-timeskew': CLOCK_SKEW_SECONDS,
    'jclouds.provider': 'filesystem-nio2',
    'jclouds.filesystem.basedir': root,
  }
  const config = join(folder, 's3.conf')
  writeFileSync(
    config,
    Object.entries(properties)
      .map((entry) => `${entry.join('=')}\n`)
      .join(''),
  )
  const logging = join(folder, 'logback.xml')
  writeFileSync(logging, '<configuration><root level="OFF"/></configuration>')
  const output = join(folder, 'output')
  const options = [
    '-Xmx128m',
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    `-Dlogback.configurationFile=${logging}`,
  ]
  const main = ['-cp', classPathOf(S3PROXY), 'org.gaul.s3proxy.Main', '--properties', config]
  const child = spawnOwned(['java', ...options, ...main], { data: folder, cwd: folder, output })
  t.teardown(async () => {
    await end(child)
    rmSync(folder, { recursive: true, force: true })
  })
  await answers(endpoint, child, () => (existsSync(output) ? readFileSync(output, 'utf8') : ''))
  const files = () =>
    readdirSync(join(root, bucket), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  return {
    endpoint,
    port,
    bucket,
    accessKeyId,
    secretAccessKey,
    objects: () => new Map(files().map((file) => [relative(join(root, bucket), file), file])),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function answers(endpoint: string, child: ChildProcess, output: () => string): Promise<void> {
  for (let waited = 0; waited < READY_MS; waited += 50) {
    if (child.exitCode !== null) throw new Error(`the S3 server has ended:\n${output()}`)
    if (
      await fetch(endpoint).then(
        () => true,
        () => false,
      )
    )
      return
    await sleep(50)
  }
  throw new Error(`the S3 server does not answer:\n${output()}`)
}
