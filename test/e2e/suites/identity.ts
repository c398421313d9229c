import type { Test } from 'tap'
import type { Deployment } from '../../support/deployment.js'
import { call, callAgain, until } from '../../support/service.js'

const TIMES = 12

/**
 * The first link of an anonymous id wins, by any way and through any gateway: an acknowledged link decides
 * over later ones. Funnels follow the links.
 */
export async function testIdentity(t: Test, service: Deployment): Promise<void> {
  const { apiKey, serverKey } = service.keys
  const before = await service.settled()
  const send = async (events: readonly object[]): Promise<void> => {
    const { status } = await callAgain(serverKey, 'POST', () => `${service.ingest}/v1/events`, { events })
    t.equal(status, 202)
  }
  const alias = async (anonymousId: string, userId: string): Promise<unknown> => {
    const { status, body } = await callAgain(serverKey, 'POST', () => `${service.ingest}/v1/alias`, {
      anonymousId,
      userId,
    })
    return status === 202 ? body.outcome : status
  }

  for (let n = 0; n < TIMES; n++) {
    await send([
      { event: 'visited', anonymousId: `by event ${n}` },
      { event: 'named', anonymousId: `by event ${n}`, userId: 'ada' },
      { event: 'named', anonymousId: `by event ${n}`, userId: 'bo' },
    ])
    t.equal(await alias(`by event ${n}`, 'bo'), 409, 'the event came first')
    t.equal(await alias(`by event ${n}`, 'ada'), 'already-linked')
    t.equal(await alias(`by alias ${n}`, `user ${n}`), 'linked')
    await send([
      { event: 'visited', anonymousId: `by alias ${n}` },
      { event: 'named', anonymousId: `by alias ${n}`, userId: 'bo' },
    ])
    await send([{ event: 'bought', userId: `user ${n}` }])
    t.equal(await alias(`by alias ${n}`, 'bo'), 409, 'the alias came first')
    t.equal(await alias(`by alias ${n}`, `user ${n}`), 'already-linked')
  }
  const race = await Promise.all(
    ['ada', 'bo', 'cy', 'ada', 'bo', 'cy'].map((userId) => alias('contested', userId)),
  )
  t.equal(race.filter((answer) => answer === 'linked').length, 1, `one of six has won: ${race}`)
  t.equal(race.filter((answer) => answer === 'already-linked').length, 1)
  t.equal(race.filter((answer) => answer === 409).length, 4)

  t.same(await service.settled(), { ...before, stored: before.stored + TIMES * 6 })
  const funnel = await call<{ id: string }>(apiKey, 'POST', `${service.api}/v1/funnel`, {
    name: 'by links',
    steps: [{ eventName: 'visited' }, { eventName: 'bought' }],
  })
  // Links are visible a moment after the events.
  const { body } = await until(
    () =>
      call<{ entered: number; completed: number }>(
        apiKey,
        'POST',
        `${service.api}/v1/funnel/${funnel.body.id}/query`,
        {},
      ),
    (answer) => answer.body.completed === TIMES && answer.body.entered === 1 + TIMES,
  )
  // All linked persons are ada; each of the others is a separate user, who bought.
  t.match(body, { entered: 1 + TIMES, completed: TIMES })
}
