// Many clients that send one event at a time, each on its own connection.
// Environment: VUS (256), DURATION (60s), PAUSE_MS (20) between two events of a client.
import { sleep } from 'k6'
import { eventOf, newRun, number, runOptions, send, uniqueId } from './support/svc.js'

const pause = number('PAUSE_MS', 20) / 1000

export const options = runOptions(
  { clients: { executor: 'constant-vus', vus: number('VUS', 256), duration: __ENV.DURATION || '60s' } },
  { http_req_duration: ['p(99)<1000'] },
)

export const setup = () => newRun('single')

export default function (run) {
  send([eventOf(run, uniqueId(run), __VU)])
  sleep(pause * (0.5 + Math.random()))
}

export { countEvents as teardown } from './support/svc.js'
