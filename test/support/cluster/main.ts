/**
 * `npm run cluster [-- --brokers 1|3] [--gateways N] [--consumers N] [--apis N]`: runs the stages on one
 * machine with real stores, for a person to try, until Ctrl-C. It prints what reaches them.
 */
import { parseArgs } from 'node:util'
import { startCluster } from '../cluster.js'
import { kafkaProblem } from '../kafka.js'

const { values } = parseArgs({
  options: {
    brokers: { type: 'string', default: '1' },
    shards: { type: 'string', default: '1' },
    gateways: { type: 'string', default: '1' },
    consumers: { type: 'string', default: '1' },
    apis: { type: 'string', default: '1' },
  },
})

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

function count(name: 'gateways' | 'consumers' | 'apis'): number {
  return /^\d{1,2}$/.test(values[name]) ? Number(values[name]) : fail(`--${name} must be a number up to 99`)
}

if (values.brokers !== '1' && values.brokers !== '3') fail('--brokers must be 1 or 3')
if (values.shards !== '1') fail('--shards must be 1: svc stores events on one shard')
const problem = kafkaProblem()
if (problem !== undefined) fail(problem)

const say = (line = ''): void => void process.stdout.write(`${line}\n`)
say('Starting Kafka, Postgres, ClickHouse and the stages. The first start downloads Kafka.')
const cluster = await startCluster({
  brokers: values.brokers === '1' ? 1 : 3,
  gateways: count('gateways'),
  consumers: count('consumers'),
  apis: count('apis'),
})
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    say('Ending, and removing the data.')
    void cluster.close().then(() => process.exit(0))
  })

say('\nProcesses, to kill and to freeze:')
const { nodes } = cluster.kafka
for (const { id, pid, address } of nodes) say(`  Kafka broker ${id}: ${address}, process ${pid}`)
say(`  ClickHouse: process ${cluster.clickhouse.pid}`)
for (const { name, pid, url, admin } of cluster.stages())
  say(`  ${name}: ${url === undefined ? '' : `${url}, `}process ${pid}, operators' port ${admin}`)
say(`\nKeys of a workspace: ${cluster.environment.SVC_DATA_DIR}/dev-keys.json`)
say('\nVariables for svc admin and for more stages (npm run start:consumers, …):\n')
const [api] = cluster.stages('api')
const [gateway] = cluster.stages('ingest')
const shown = {
  ...cluster.environment,
  SVC_API_URL: api?.url ?? '',
  SVC_INGEST_URL: gateway?.url ?? '',
  SVC_API_KEY: cluster.keys.apiKey,
  SVC_SERVER_KEY: cluster.keys.serverKey,
}
for (const [name, value] of Object.entries(shown)) say(`export ${name}='${value}'`)
say('\nCtrl-C ends everything and removes the data.')
