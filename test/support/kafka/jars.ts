import { classPathOf, findProgramProblem, type MavenProgram } from '../maven.js'

const VERSION = '4.3.1'
const KAFKA: MavenProgram = {
  title: 'Kafka',
  name: 'kafka',
  version: VERSION,
  dependencies: [
    { groupId: 'org.apache.kafka', artifactId: 'kafka_2.13', version: VERSION },
    { groupId: 'org.apache.logging.log4j', artifactId: 'log4j-slf4j-impl', version: '2.25.3' },
  ],
}

let problem: string | undefined
let looked = false

/** Why Kafka cannot be had on this machine, for the reason of a skip. */
export function kafkaProblem(): string | undefined {
  if (!looked) {
    problem = findProgramProblem(KAFKA)
    looked = true
  }
  return problem
}

/** The class path of the broker. */
export function kafkaClassPath(): string {
  const found = kafkaProblem()
  if (found !== undefined) throw new Error(found)
  return classPathOf(KAFKA)
}
