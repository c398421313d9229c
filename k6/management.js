// Management reads and writes: people and tools declare, change and list experiments. At the end the
// experiments of the run are counted.
// The API key needs the scope experiments.manage. Environment: WRITERS (4), READERS (12), DURATION (60s).
import { check, sleep } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { api, callerHeaders, made, newRun, number, runOptions, uniqueId } from './support/svc.js'

const duration = __ENV.DURATION || '60s'
const people = (exec, vus) => ({ executor: 'constant-vus', vus, duration, exec })

export const options = runOptions(
  { write: people('write', number('WRITERS', 4)), read: people('read', number('READERS', 12)) },
  {
    'http_req_duration{scenario:read}': ['p(99)<1000'],
    'http_req_duration{scenario:write}': ['p(99)<2000'],
  },
)

export const setup = () => newRun('management')

/** Declares an experiment twice with one Idempotency-Key, and changes it. */
export function write(run) {
  const key = uniqueId(run).replaceAll('_', '-')
  const body = JSON.stringify({
    key,
    name: `${run.name} ${key}`,
    variants: [
      { displayName: 'Control', trafficSplit: 50 },
      { displayName: 'B', trafficSplit: 50 },
    ],
    conversionTargets: [{ eventName: 'purchased' }],
  })
  const headers = { ...callerHeaders, 'Idempotency-Key': `${key}-declared` }
  const declare = () => http.post(`${api}/v1/experiments`, body, { headers, tags: { name: 'declare' } })
  const [first, again] = [declare(), declare()]
  if (!check(first, { 'an experiment is declared': ({ status }) => status === 201 })) return
  made(1)
  check(again, { 'the same again is answered alike': ({ status, body }) => status === 201 && body === first.body })
  const conversionTargets = [{ eventName: 'purchased', windowHours: 72 }]
  const changed = http.put(
    `${api}/v1/experiments/${key}/conversion-targets`,
    JSON.stringify({ conversionTargets }),
    { headers: callerHeaders, tags: { name: 'change' } },
  )
  check(changed, {
    'it is changed': (r) => r.status === 200 && r.json('conversionTargets.0.windowHours') === 72,
  })
  sleep(0.05)
}

export function read(run) {
  const get = (name, path) => http.get(`${api}/v1${path}`, { headers: callerHeaders, tags: { name } })
  const questions = [
    () => get('list', '/experiments?limit=50'),
    () => get('search', `/experiments?search=${run.name}&limit=25`),
    () => get('by status', '/experiments?status=approved,running&sortBy=name&limit=25'),
    () => get('counts', '/experiments/counts'),
    () => get('funnels', '/funnel'),
    () => get('event names', '/funnel/events'),
    () => get('learnings', '/learnings'),
  ]
  const question = questions[exec.scenario.iterationInTest % questions.length]
  check(question(), { 'a question is answered': ({ status }) => status === 200 })
  sleep(0.02)
}

export function teardown(run) {
  const found = http.get(`${api}/v1/experiments?search=${run.name}&limit=1`, { headers: callerHeaders })
  const total = found.json('pagination.total')
  made(-total)
  console.log(`${total} experiments of ${run.name} are there`)
}
