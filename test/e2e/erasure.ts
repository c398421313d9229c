import { randomUUID } from 'node:crypto'
import t from 'tap'
import { deployEmbedded } from '../support/deployment.js'
import { filesWith } from '../support/files-with.js'
import { call, countOf, until } from '../support/service.js'

interface Erasure {
  readonly id: string
  readonly status: string
  readonly receipt: object | null
  readonly error: string | null
}

t.test('a person is erased from every store, and may come back', { timeout: 600_000 }, async (t) => {
  const service = await deployEmbedded(t)
  const { serverKey, apiKey, sessionToken } = service.keys
  const dataDir = service.environment.SVC_DATA_DIR ?? ''
  const ids: Readonly<Record<'user' | 'phone' | 'laptop', string>> = {
    user: randomUUID(),
    phone: randomUUID(),
    laptop: randomUUID(),
  }
  const send = async (events: readonly object[]): Promise<void> => {
    const { status } = await call(serverKey, 'POST', `${service.ingest}/v1/events`, { events })
    t.equal(status, 202)
    await service.settled()
  }
  const get = <Body>(path: string) => call<Body>(sessionToken, 'GET', `${service.api}/v1${path}`)
  const erase = async (person: object): Promise<Erasure> => {
    const { status, body, headers } = await call<Erasure>(
      sessionToken,
      'POST',
      `${service.api}/v1/erasures`,
      person,
    )
    t.equal(status, 202)
    const done = await until(
      async () => (await get<Erasure>((headers.get('location') ?? '').replace('/v1', ''))).body,
      ({ status }) => status === 'done' || status === 'failed',
    )
    t.match(done, { id: body.id, status: 'done', error: null })
    return done
  }
  const ofUser = async (): Promise<readonly string[]> => {
    const { body } = await get<{ data: { event: string; userId: string; anonymousId: string }[] }>('/events')
    const all = Object.values(ids)
    return body.data
      .filter(({ userId, anonymousId }) => all.includes(userId) || all.includes(anonymousId))
      .map(({ event }) => event)
      .sort()
  }
  const personOf = async (event: string): Promise<string | undefined> => {
    const { body } = await get<{ data: { event: string; personId: string }[] }>('/events')
    return body.data.find((one) => one.event === event)?.personId
  }
  const ledger = async () => {
    const { body } = await get<{ total: object }>('/events/ledger?key=Demo%20server%20key')
    return body.total
  }
  const bought = { event: 'bought', userId: ids.user, anonymousId: ids.laptop, insertId: 'bought 1' }
  await send([
    { event: 'visited', anonymousId: ids.phone, insertId: 'visited 1' },
    { event: 'visited', userId: 'another user' },
    { event: 'shared_device', userId: 'another user', anonymousId: ids.phone },
    { event: '$exposure', anonymousId: ids.phone, properties: { experiment: 'one', variant: 'b' } },
    bought,
  ])
  await call(serverKey, 'POST', `${service.ingest}/v1/alias`, { anonymousId: ids.laptop, userId: ids.user })

  t.test('a link that another user of the same device made is kept', async (t) => {
    // Links are visible a moment after the events.
    const person = await until(
      () => personOf('visited'),
      (one) => one === 'user:another user',
    )
    t.equal(person, 'user:another user')
  })

  t.test('a person is exported', async (t) => {
    const exported = async (person: string) => {
      const response = await fetch(`${service.api}/v1/events/persons/${encodeURIComponent(person)}/export`, {
        headers: { authorization: `Bearer ${apiKey}` },
      })
      const text = await response.text()
      return response.status === 200
        ? text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line).event)
            .sort()
        : response.status
    }
    t.same(await exported(`user:${ids.user}`), ['bought'])
    t.same(await exported('user:another user'), ['$exposure', 'shared_device', 'visited', 'visited'])
    t.equal(await exported('user:unknown'), 404)
  })

  t.test('keys and a body without a person are refused', async (t) => {
    const erasures = `${service.api}/v1/erasures`
    t.equal((await call(apiKey, 'POST', erasures, { userId: 'x' })).status, 403)
    for (const body of [{}, { userId: 'x', anonymousId: 'y' }, { userId: '' }])
      t.equal((await call(sessionToken, 'POST', erasures, body)).status, 400)
  })

  t.test('a user is erased', async (t) => {
    const problems = async () => (await get<{ data: { eventName: string }[] }>('/events/problems')).body.data
    const named = { event: `of ${ids.user}`, userId: ids.user }
    await call(serverKey, 'POST', `${service.ingest}/v1/events`, { events: [named] })
    t.match(await until(problems, ({ length }) => length > 0), [{ eventName: `of ${ids.user}` }])
    t.match(await erase({ userId: ids.user }), {
      receipt: { events: 1, links: 1, exposures: 0, deadLetters: 0 },
    })
    t.same(await problems(), [], 'the name of a refused event may name the person')
    t.same(await ofUser(), ['$exposure', 'shared_device', 'visited'])
    t.equal(await countOf(service.api, apiKey, 'bought'), 0)
    t.equal(await countOf(service.api, apiKey, 'visited'), 2)
    t.match(await ledger(), { accepted: 5, stored: 4, deduplicated: 0, erased: 1 })
    t.same(filesWith(dataDir, [ids.user, ids.laptop]), [])
  })

  t.test('an event sent again stays erased, and makes no link; a new one makes both', async (t) => {
    const before = await service.settled()
    await send([bought])
    t.match(await service.settled(), { duplicates: before.duplicates + 1, stored: before.stored })
    await send([
      { ...bought, insertId: 'bought 2', event: 'bought_again' },
      { event: 'alone', anonymousId: ids.laptop },
    ])
    const person = await until(
      () => personOf('alone'),
      (person) => person === `user:${ids.user}`,
    )
    t.equal(person, `user:${ids.user}`)
    t.same((await ofUser()).includes('bought'), false)
  })

  t.test('an anonymous id is erased, and taken out of the events of others', async (t) => {
    t.match(await erase({ anonymousId: ids.phone }), { receipt: { events: 1, links: 1, exposures: 1 } })
    const left = await until(ofUser, ({ length }) => length === 2)
    t.same(left, ['alone', 'bought_again'])
    t.equal(await personOf('shared_device'), 'user:another user')
    t.equal(await countOf(service.api, apiKey, 'visited'), 1)
    t.equal(await countOf(service.api, apiKey, '$exposure'), 0)
    t.match(await ledger(), { accepted: 8, stored: 4, deduplicated: 1, erased: 3 })
    t.same(filesWith(dataDir, [ids.phone]), [])
  })

  t.test('erasures are listed, and audited without an id', async (t) => {
    const { body } = await get<{ data: Erasure[]; pagination: object }>('/erasures')
    t.match(body, { data: [{ status: 'done' }, { status: 'done' }], pagination: { total: 2 } })
    const audit = await get<{ data: { action: string }[] }>('/audit?limit=100')
    const entries = audit.body.data.filter(({ action }) => action.startsWith('erasure.'))
    t.same(
      entries.map(({ action }) => action),
      ['erasure.done', 'erasure.create', 'erasure.done', 'erasure.create'],
    )
    const text = JSON.stringify(entries)
    for (const id of Object.values(ids)) t.notOk(text.includes(id))
  })
})
