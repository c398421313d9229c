import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { seededRandom } from '../../../bench/support/random.js'
import { openRemoteClickHouse } from '../../../clickhouse/remote/open.js'
import { SEED } from '../../support/cases.js'
import { clickhouseProblem } from '../../support/clickhouse/server.js'
import { untilReadiness } from '../../support/outage/outage.js'
import { until } from '../../support/service.js'
import { startOnClickHouse } from '../../support/stores.js'
import { Traffic } from '../../support/traffic.js'
import { countAll } from '../suites/stores-gone.js'

const KILLS = 30
const FREEZES = 20
/** A fault strikes so soon after the first event that was stored since the one before, at random. */
const STRIKES_WITHIN_MS = 300
/** Short freezes go unnoticed, and long ones end inserts whose outcome is then unknown. */
const MAX_FREEZE_MS = 1_000
/** A consumer that waits for a lost answer sends nothing else. */
const MUTE_SECONDS = 1
const PAUSE_MS = 200

t.test(
  `each event is counted once through ${KILLS} kills and ${FREEZES} freezes of ClickHouse`,
  { timeout: 600_000, skip: clickhouseProblem() ?? false },
  async (t) => {
    const { service, proxy, clickhouse } = await startOnClickHouse(t)
    const random = seededRandom(SEED)
    const traffic = new Traffic(service, { clients: 2, events: 5, pauseMs: PAUSE_MS })
    const direct = await openRemoteClickHouse({ url: `${clickhouse.url}/svc` })
    t.teardown(() => direct.close())
    const stored = async (): Promise<number> => {
      const { rows } = await direct.query<{ n: number }>('SELECT count() AS n FROM events')
      return rows[0]?.n ?? 0
    }
    const moreThan = (before: number, seconds?: number): Promise<number> =>
      until(
        () => stored().catch(() => 0),
        (count) => count > before,
        seconds,
      )
    const faults = Array.from({ length: KILLS + FREEZES }, (_, index) => ({
      isKill: index < KILLS,
      at: random(),
    }))
    let before = 0
    for (const { isKill } of faults.sort((a, b) => a.at - b.at)) {
      const total = await moreThan(before)
      t.ok(total > before, `${total} events are stored`)
      before = total
      await sleep(random() * STRIKES_WITHIN_MS)
      if (isKill) {
        // Every other time right after an insert whose answer is lost.
        const isMute = random() < 0.5
        if (isMute) {
          before = await stored()
          await proxy.set('mute')
          await moreThan(before, MUTE_SECONDS)
        }
        await clickhouse.kill()
        await clickhouse.start()
        if (isMute) await proxy.set('pass')
      } else {
        clickhouse.freeze()
        await sleep(random() * MAX_FREEZE_MS)
        clickhouse.thaw()
      }
    }
    const { status, messages } = await untilReadiness(service, 'ready')
    t.equal(status, 200, messages.join('; '))
    t.ok(traffic.accepted() > 0.95, `answers by status: ${JSON.stringify(traffic.statuses())}`)
    await countAll(t, traffic)
    t.equal(await service.stop(), 0)
  },
)
