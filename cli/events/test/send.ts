import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { type Finished, svc } from '../../test/support/run.js'

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000

interface Sent {
  readonly event: string
  readonly userId: string
  readonly insertId: string
  readonly properties?: Readonly<Record<string, unknown>>
}

type Answer = (events: readonly Sent[], response: ServerResponse) => void

const accept: Answer = (events, response) =>
  void response.writeHead(202).end(JSON.stringify({ accepted: events.length, requestId: 'r' }))

/** An ingestion API that keeps the events that it accepted. */
async function startIngest(answer: Answer = accept) {
  const received: Sent[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { events } = JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()) as { events: Sent[] }
      received.push(...events)
      answer(events, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = mkdtempSync(join(tmpdir(), 'svc-send-'))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const environment = { SVC_INGEST_URL: `http://127.0.0.1:${port}`, SVC_SERVER_KEY: 'tsk_secret_x' }
  return {
    received,
    path: (name: string) => join(folder, name),
    environment,
    send: (name: string, ...options: string[]): Promise<Finished> =>
      svc(['events', 'send', join(folder, name), ...options], environment),
  }
}

function rows(from: number, to: number, note = ''): string {
  let text = ''
  for (let at = from; at < to; at++) text += `${JSON.stringify({ event: 'row', userId: `u${at}${note}` })}\n`
  return text
}

const users = (received: readonly Sent[]): Set<string> => new Set(received.map(({ userId }) => userId))

t.test('a file that was rewritten with the same beginning is sent from its start', async (t) => {
  let isRefusing = true
  const { received, path, send } = await startIngest((events, response) => {
    if (isRefusing && events.some(({ userId }) => userId === 'u4000'))
      response.writeHead(403).end('{"code":"FORBIDDEN","message":"stop"}')
    else accept(events, response)
  })
  writeFileSync(path('export.ndjson'), rows(0, 5_000))
  t.equal((await send('export.ndjson')).code, 1)
  const stopped = JSON.parse(readFileSync(path('export.ndjson.svc-progress'), 'utf8')) as { line: number }
  t.ok(stopped.line >= 500, `stopped at ${stopped.line}`)

  isRefusing = false
  const before = received.length
  writeFileSync(path('export.ndjson'), `${rows(0, 300)}${rows(300, 5_000, '-new')}`)
  const again = await send('export.ndjson', '--json')
  t.equal(again.code, 0)
  t.match(again.err, /has changed since it was sent up to line .*: sending it from its start/)
  t.match(JSON.parse(again.out), { accepted: 5_000, notSent: 0 })
  t.equal(received.length - before, 5_000)
  t.equal([...users(received)].filter((userId) => userId.endsWith('-new')).length, 4_700)
  const ids = new Map(received.map(({ userId, insertId }) => [userId, insertId]))
  t.equal(new Set(ids.values()).size, ids.size, 'another event in the same line has another insertId')
})

t.test('a file that only grew is resumed after the last sent line', async (t) => {
  let isRefusing = true
  const { received, path, send } = await startIngest((events, response) => {
    if (isRefusing && events.some(({ userId }) => userId === 'u4000'))
      response.writeHead(403).end('{"code":"FORBIDDEN","message":"stop"}')
    else accept(events, response)
  })
  writeFileSync(path('log.ndjson.gz'), gzipSync(rows(0, 5_000)))
  await send('log.ndjson.gz')
  const { line } = JSON.parse(readFileSync(path('log.ndjson.gz.svc-progress'), 'utf8')) as { line: number }
  isRefusing = false
  received.length = 0
  writeFileSync(path('log.ndjson.gz'), gzipSync(rows(0, 6_000)))
  const again = await send('log.ndjson.gz')
  t.match(again, { code: 0, err: /Resuming after line/, out: /6,000 accepted, 0 refused, 0 not sent/ })
  t.equal(received.length, 6_000 - line)
})

t.test('another key or address, and progress of an older version, start from the beginning', async (t) => {
  let isRefusing = true
  const { environment, received, path, send } = await startIngest((events, response) => {
    if (isRefusing && events.some(({ userId }) => userId === 'u1500'))
      response.writeHead(403).end('{"code":"FORBIDDEN","message":"stop"}')
    else accept(events, response)
  })
  const other = await startIngest()
  const progress = path('rows.ndjson.svc-progress')
  const same = (text: string) => text
  const changes: readonly [string, Readonly<Record<string, string>>, (text: string) => string][] = [
    ['key', { SVC_SERVER_KEY: 'tsk_secret_y' }, same],
    ['address', { SVC_INGEST_URL: other.environment.SVC_INGEST_URL }, same],
    ['version', {}, (text) => text.replace(/"target":"[^"]*",/, '')],
  ]
  writeFileSync(path('rows.ndjson'), rows(0, 2_000))
  for (const [name, changed, edit] of changes) {
    isRefusing = true
    t.equal((await send('rows.ndjson')).code, 1)
    const stored = readFileSync(progress, 'utf8')
    t.ok((JSON.parse(stored) as { line: number }).line >= 500)
    writeFileSync(progress, edit(stored))
    isRefusing = false
    received.length = 0
    const again = await svc(['events', 'send', path('rows.ndjson')], { ...environment, ...changed })
    t.match(again.err, /was sent up to line [\d,]+ to another address or workspace.* from its start/, name)
    t.equal(users([...received, ...other.received]).size, 2_000, name)
  }
})

t.test('only the receipt of the ingestion API counts as accepted', async (t) => {
  const answers: readonly [string, Answer][] = [
    ['no body', (_, response) => void response.writeHead(202).end()],
    ['a page', (_, response) => void response.writeHead(200).end('<html>Welcome</html>')],
    ['another API', (_, response) => void response.writeHead(202).end('{"accepted":true,"requestId":"r"}')],
    ['a part', (_, response) => void response.writeHead(202).end('{"accepted":1,"requestId":"r"}')],
    ['no request', (_, response) => void response.writeHead(202).end('{"accepted":2}')],
    ['null', (_, response) => void response.writeHead(202).end('null')],
    ['a bare 400', (_, response) => void response.writeHead(400).end('Bad Request')],
  ]
  await Promise.all(
    answers.map(async ([name, answer]) => {
      const { received, path, send } = await startIngest(answer)
      writeFileSync(path('two.ndjson'), rows(0, 2))
      const sent = await send('two.ndjson', '--patience', '1')
      t.match(sent, { code: 1, out: /0 accepted, 0 refused, 2 not sent/, err: /does not answer: HTTP/ }, name)
      t.ok(received.length > 2, `${name}: was tried again`)
    }),
  )
  let tries = 0
  const late = await startIngest((events, response) =>
    ++tries === 1 ? void response.writeHead(202).end('ok') : accept(events, response),
  )
  writeFileSync(late.path('two.ndjson'), rows(0, 2))
  t.match(await late.send('two.ndjson'), { code: 0, out: /2 accepted, 0 refused, 0 not sent/ })
})

t.test('a truncated .gz is sent as far as it can be read, and the rest is reported', async (t) => {
  const { received, path, send } = await startIngest()
  const packed = gzipSync(rows(0, 20_000))
  writeFileSync(path('cut.ndjson.gz'), packed.subarray(0, packed.length / 2))
  const sent = await send('cut.ndjson.gz')
  t.equal(sent.code, 1)
  t.match(sent.out, /accepted, 0 refused, the rest not sent/)
  const [, said = ''] =
    /everything after line ([\d,]+) could not be read and was not sent/.exec(sent.err) ?? []
  t.equal(Number(said.replaceAll(',', '')), received.length, sent.err)
  t.ok(received.length > 1_000)
  t.match(JSON.parse((await send('cut.ndjson.gz', '--json')).out), {
    accepted: received.length,
    notSent: null,
  })

  const first = received.length
  writeFileSync(path('cut.ndjson.gz'), packed)
  t.match(await send('cut.ndjson.gz'), { code: 0, err: /Resuming/, out: /20,000 accepted/ })
  t.equal(received.length, 20_000, `the whole file goes on after line ${first}`)
})

t.test('a file in another encoding or with other separators is refused', async (t) => {
  const { received, path, send } = await startIngest()
  writeFileSync(
    path('latin.csv'),
    Buffer.from('event,userId\nrow,J\u00f6rg\nrow,Anna\nrow,J\u00fcrg\n', 'latin1'),
  )
  const latin = await send('latin.csv', '--json')
  t.match(latin, { code: 1, err: /save the file as UTF-8 with commas as separators/ })
  t.match(JSON.parse(latin.out), {
    accepted: 1,
    refused: [
      { line: 2, message: 'is not UTF-8 text' },
      { line: 4, message: 'is not UTF-8 text' },
    ],
  })
  t.strictSame([...users(received)], ['Anna'])
  const refused: readonly [string, Buffer, RegExp][] = [
    [
      'utf16.csv',
      Buffer.from('\ufeffevent,userId\nrow,u\n', 'utf16le'),
      /header in line 1 is not UTF-8 text/,
    ],
    ['semicolons.csv', Buffer.from('event;userId\nrow;u\n'), /header in line 1 is separated by ";"/],
    ['tabs.csv', Buffer.from('event\tuserId\nrow\tu\n'), /header in line 1 is separated by "\\t"/],
    ['cr.csv', Buffer.from('event,userId\rrow,u\rrow,v\r'), /header in line 1 ends its lines with CR alone/],
    [
      'twice.csv',
      Buffer.from('event,userId,userId\nrow,u,v\n'),
      /header in line 1 names the column "userId" twice/,
    ],
    ['quote.csv', Buffer.from('event,"userId\nrow,u\n'), /header in line 1 has a quote/],
  ]
  for (const [name, content, reason] of refused) {
    writeFileSync(path(name), content)
    t.match(await send(name), { code: 1, out: /^0 accepted/, err: reason }, name)
  }
  t.equal(received.length, 1, 'nothing else was sent')
})

t.test('events older than seven days are counted before and after', async (t) => {
  const { path, send } = await startIngest()
  const at = (ms: number): string => new Date(Date.now() - ms).toISOString()
  const csv = [WEEK_MS + 60_000, WEEK_MS * 50, WEEK_MS - 60_000, 0].map((ms) => `row,u,${at(ms)}`)
  writeFileSync(path('old.csv'), `event,userId,timestamp\n${csv.join('\n')}\nrow,u,\nrow,u,yesterday\n`)
  const sent = await send('old.csv')
  t.match(sent.err, /^2 events are older than seven days: svc will move their times to the boundary/)
  t.match(sent.out, /2 of them were older than seven days: svc moved their times to the boundary/)
  t.match(JSON.parse((await send('old.csv', '--json')).out), { olderThanSevenDays: 2 })
  writeFileSync(path('new.ndjson'), rows(0, 3))
  t.notMatch(await send('new.ndjson'), { err: /seven days/ })
})
