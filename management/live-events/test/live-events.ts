import { pino } from 'pino'
import t from 'tap'
import { LiveEvents, type LiveEventsOptions } from '../live-events.js'

t.test('workspaces with many streams leave some to others', async (t) => {
  // Without readers no store is asked.
  const stores = { clickhouse: undefined, sql: undefined, present: undefined } as unknown as LiveEventsOptions
  const live = new LiveEvents({
    ...stores,
    now: Date.now,
    secretKey: new Uint8Array(32),
    logger: pino({ level: 'silent' }),
  })
  const open = (workspace: string): number => {
    for (let streams = 0; ; streams++)
      try {
        live.subscribe(workspace, undefined, undefined)
      } catch (error) {
        t.match(error, { code: 'RATE_LIMITED' })
        return streams
      }
  }
  const streams = Array.from({ length: 60 }, (_, i) => open(`workspace ${i}`))
  t.same(streams.slice(0, 24), Array(24).fill(20))
  t.equal(streams[24], 10, 'half of what is left')
  t.ok(
    streams.slice(24, 27).every((count) => count > 0),
    `${streams}`,
  )
  t.ok(live.readers <= 500)
})
