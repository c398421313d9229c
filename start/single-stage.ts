import { ConfigError, parseConfig } from '../runtime/config.js'
import { messageOf } from '../runtime/message-of.js'

/**
 * One stage in a program of its own shares nothing with the others but the external stores, so it needs their addresses. The log of this version is the
 * embedded one, which lives inside `npm start`.
 */
export function refuseWithoutExternalStores(stage: 'ingest' | 'consumers' | 'api'): never {
  try {
    const config = parseConfig(process.env)
    const needs: ReadonlyArray<readonly [string, unknown]> = [
      ['SVC_POSTGRES_URL', config.postgresUrl],
      ['SVC_KAFKA_BROKERS', stage === 'api' ? true : config.kafkaBrokers],
      ['SVC_CLICKHOUSE_URL', stage === 'ingest' ? true : config.clickhouseUrl],
    ]
    for (const [variable, value] of needs)
      if (value === undefined)
        throw new ConfigError(
          variable,
          `must be set to run the ${stage} stage alone: embedded stores need \`npm start\``,
        )
    throw new ConfigError(
      'SVC_KAFKA_BROKERS',
      'cannot be used yet: this version has the embedded log only, run `npm start`',
    )
  } catch (error) {
    process.stderr.write(`svc: ${messageOf(error)}\n`)
    process.exit(2)
  }
}
