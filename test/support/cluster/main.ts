/**
 * `npm run cluster`: runs the stages on one machine with real stores, for a person to try, until Ctrl-C; or
 * streams events through them, disturbs them, and counts every event.
 */
import { parseArgs } from 'node:util'
import { streamThroughFaults } from '../../chaos/stream.js'
import { type Cluster, startCluster } from '../cluster.js'
import { kafkaProblem } from '../kafka.js'

const HELP = `npm run cluster [-- OPTIONS]

Runs the stages on this machine with real Kafka, Postgres and ClickHouse, and prints what reaches them.
Ctrl-C ends everything and removes the data.

  --brokers 1|3      Kafka brokers (1)
  --shards N         shards of ClickHouse, one server each (1)
  --gateways N       processes of each stage (1; with a stream 2 gateways and 2 consumers)
  --consumers N
  --apis N

With one of these it streams events and links through the gateways, kills, freezes and cuts off gateways,
consumers, brokers, shards and Postgres one after the other, counts every event, and ends. Exit code 1: the
count differs.

  --faults N         number of faults (20; with --minutes no limit)
  --events N         accepted events at least (300 a fault)
  --minutes M        strikes no fault after this time
  --seed N           decides the order of faults and what is sent (1)
`

const { values } = parseArgs({
  options: {
    brokers: { type: 'string', default: '1' },
    shards: { type: 'string', default: '1' },
    gateways: { type: 'string' },
    consumers: { type: 'string' },
    apis: { type: 'string' },
    faults: { type: 'string' },
    events: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const MAX_FAULTS = 100_000
const EVENTS_OF_A_FAULT = 300

const say = (line = ''): void => void process.stdout.write(`${line}\n`)

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

function count(name: Exclude<keyof typeof values, 'help'>, fallback: number, max = 99): number {
  const value = values[name] ?? String(fallback)
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
  return number <= max ? number : fail(`--${name} must be a whole number up to ${max}`)
}

function describe(cluster: Cluster): void {
  say('\nProcesses, to kill and to freeze:')
  for (const { id, pid, address } of cluster.kafka.nodes)
    say(`  Kafka broker ${id}: ${address}, process ${pid}`)
  cluster.shards.forEach(({ server, url }, i) => {
    say(`  ClickHouse shard ${i + 1}: ${new URL(url).host}, process ${server.pid}`)
  })
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
}

if (values.help) {
  say(HELP)
  process.exit(0)
}
if (values.brokers !== '1' && values.brokers !== '3') fail('--brokers must be 1 or 3')
const isStream = ['faults', 'events', 'minutes'].some((name) => name in values)
const parts = {
  brokers: values.brokers === '1' ? 1 : 3,
  shards: count('shards', 1) || fail('--shards must be at least 1'),
  gateways: count('gateways', isStream ? 2 : 1),
  consumers: count('consumers', isStream ? 2 : 1),
  apis: count('apis', 1),
} as const
const problem = kafkaProblem()
if (problem !== undefined) fail(problem)

say('Starting Kafka, Postgres, ClickHouse and the stages. The first start downloads Kafka.')
if (isStream) {
  const minutes = values.minutes === undefined ? undefined : count('minutes', 0, 10_000)
  const faults =
    count('faults', minutes === undefined ? 20 : MAX_FAULTS, MAX_FAULTS) ||
    fail('--faults must be at least 1')
  const events = count('events', EVENTS_OF_A_FAULT * faults, 100_000_000)
  const seed = count('seed', 1, 999_999_999)
  const isRight = await streamThroughFaults({
    ...parts,
    minutes,
    faults,
    events,
    seed,
    opened: describe,
    say,
  })
  process.exit(isRight ? 0 : 1)
}
const cluster = await startCluster(parts)
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    say('Ending, and removing the data.')
    void cluster.close().then(() => process.exit(0))
  })
describe(cluster)
say('\nCtrl-C ends everything and removes the data.')
