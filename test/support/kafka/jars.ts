import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const VERSION = '4.3.1'
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>kafka-broker</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${VERSION}</version></dependency>
    <dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>2.25.3</version></dependency>
  </dependencies>
</project>
`

let problem: string | undefined
let looked = false

/**
 * Why Kafka cannot be had on this machine, for the reason of a skip; fetches it (some seconds, once a
 * machine) when it can.
 */
export function kafkaProblem(): string | undefined {
  if (!looked) {
    problem = findProblem()
    looked = true
  }
  return problem
}

/** The class path of the broker. */
export function kafkaClassPath(): string {
  const found = kafkaProblem()
  if (found !== undefined) throw new Error(found)
  return join(jarFolder(), '*')
}

function jarFolder(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'svc-test', `kafka-${VERSION}`)
}

function findProblem(): string | undefined {
  if (!runs('java', '-version')) return 'Kafka needs a Java runtime, and there is none'
  if (existsSync(jarFolder())) return undefined
  if (!runs('mvn', '-v')) return 'Kafka is fetched by Maven, and there is none'
  return fetchJars()
}

function runs(command: string, argument: string): boolean {
  return spawnSync(command, [argument], { stdio: 'ignore', timeout: 60_000 }).status === 0
}

/** The folder appears completely or not at all, so that two test processes may do this at the same time. */
function fetchJars(): string | undefined {
  const target = jarFolder()
  const parent = join(target, '..')
  mkdirSync(parent, { recursive: true })
  const work = mkdtempSync(join(parent, '.fetching-'))
  try {
    writeFileSync(join(work, 'pom.xml'), POM)
    const goals = ['dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=libs']
    const run = spawnSync('mvn', ['-B', '-q', ...goals], { cwd: work, encoding: 'utf8', timeout: 150_000 })
    if (run.status !== 0) {
      const reason = /ERROR\S* (.*)/.exec(run.stdout ?? '')?.[1] ?? 'it did not end in time'
      return `Maven could not fetch Kafka: ${reason.slice(0, 200)}`
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
