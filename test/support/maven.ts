import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

interface Dependency {
  readonly groupId: string
  readonly artifactId: string
  readonly version: string
}

/** A program of Maven Central, with what it depends on. */
export interface MavenProgram {
  /** In messages. */
  readonly title: string
  readonly name: string
  readonly version: string
  readonly dependencies: readonly Dependency[]
}

/**
 * Why a program cannot be had on this machine, for the reason of a skip; fetches it (some seconds, once a
 * machine) when it can.
 */
export function findProgramProblem(program: MavenProgram): string | undefined {
  const { title } = program
  if (!runs('java', '-version')) return `${title} needs a Java runtime, which this machine lacks`
  if (existsSync(jarFolder(program))) return undefined
  if (!runs('mvn', '-v')) return `${title} is fetched by Maven, which this machine lacks`
  return fetchJars(program)
}

/** The class path of a program without a problem. */
export function classPathOf(program: MavenProgram): string {
  return join(jarFolder(program), '*')
}

function jarFolder({ name, version }: MavenProgram): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'svc-test', `${name}-${version}`)
}

function runs(command: string, argument: string): boolean {
  return spawnSync(command, [argument], { stdio: 'ignore', timeout: 60_000 }).status === 0
}

/** The folder appears completely or not at all, so that two test processes may do this at the same time. */
function fetchJars(program: MavenProgram): string | undefined {
  const target = jarFolder(program)
  const parent = join(target, '..')
  mkdirSync(parent, { recursive: true })
  const work = mkdtempSync(join(parent, '.fetching-'))
  try {
    writeFileSync(join(work, 'pom.xml'), pomOf(program))
    const goals = ['dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=libs']
    const run = spawnSync('mvn', ['-B', '-q', ...goals], { cwd: work, encoding: 'utf8', timeout: 150_000 })
    if (run.status !== 0) {
      const reason = /ERROR\S* (.*)/.exec(run.stdout ?? '')?.[1] ?? 'it did not end in time'
      return `Maven could not fetch ${program.title}: ${reason.slice(0, 200)}`
    }
    try {
      renameSync(join(work, 'libs'), target)
    } catch (error) {
      if (!existsSync(target)) throw error
    }
    return undefined
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function pomOf({ name, dependencies }: MavenProgram): string {
  const entries = dependencies.map(
    ({ groupId, artifactId, version }) =>
      `    <dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version></dependency>`,
  )
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>${name}</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
${entries.join('\n')}
  </dependencies>
</project>
`
}
