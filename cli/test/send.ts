import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { countOf, until } from '../../test/support/service.js'
import { MAIN } from './support/run.js'
import { startWorkspace } from './support/workspace.js'

const LINES = 6_000

t.test('events are sent from files', async (t) => {
  const workspace = await startWorkspace()
  t.teardown(() => workspace.stop())
  const { sh, folder, service, environment } = workspace
  const stored = (name: string, count: number): Promise<number> =>
    until(
      () => countOf(service.api, service.keys.apiKey, name),
      (seen) => seen >= count,
    )

  await t.test('each line is accepted or refused, with its field', async (t) => {
    const good = JSON.stringify({ event: 'mixed', userId: 'u' })
    const warned = '{"event":"mixed","userId":"null","plan":"pro","properties":{"n":9007199254740993}}\n'
    writeFileSync(join(folder, 'warned.ndjson'), warned.repeat(2))
    t.same(JSON.parse((await sh('svc events send warned.ndjson --json')).out).warnings, [
      { code: 'UNKNOWN_FIELD', field: 'plan', count: 2 },
      { code: 'PLACEHOLDER_ID', field: 'userId', count: 2 },
      { code: 'NUMBER_ROUNDED', field: 'properties.n', count: 2 },
    ])
    writeFileSync(join(folder, 'warned.ndjson'), warned)
    t.match(await sh('svc events send warned.ndjson'), {
      code: 0,
      out: /warning: plan is not a field of svc and was ignored \(1 times or more\)/,
    })
    t.equal(await stored('mixed', 3), 3, 'the events are stored all the same')
    writeFileSync(
      join(folder, 'mixed.ndjson'),
      [
        `\ufeff${good}`,
        '{oops',
        '',
        good,
        '{"event":"bad name","userId":"u"}',
        '[]',
        '{"event":"mixed"}',
        `${good}\r`,
      ].join('\n'),
    )
    const sent = await sh('svc events send mixed.ndjson --json')
    t.equal(sent.code, 1)
    t.match(JSON.parse(sent.out), {
      accepted: 3,
      notSent: 0,
      refused: [
        { line: 2, field: '', message: 'is not JSON' },
        { line: 5, field: 'event' },
        { line: 6, field: '', message: 'is not a JSON object' },
        { line: 7, field: 'userId' },
      ],
    })
    t.notOk(existsSync(join(folder, 'mixed.ndjson.svc-progress')), 'nothing is left to go on with')
    t.equal(await stored('mixed', 6), 6)
    t.match(await sh('svc events send mixed.ndjson', { SVC_SERVER_KEY: 'tsk_secret_wrong' }), {
      code: 3,
      out: /0 accepted, 2 refused, 5 not sent/,
      err: /UNAUTHENTICATED/,
    })
  })

  await t.test('CSV rows become events', async (t) => {
    writeFileSync(
      join(folder, 'rows.csv'),
      'event,userId,note,properties.total,code\ncsv_row,u1,"two\nlines, ""quoted""",12.5,007\ncsv_row,u2,,true,\n',
    )
    t.equal((await sh('svc events send rows.csv')).code, 0)
    await stored('csv_row', 2)
    const tail = await sh('svc events tail --event csv_row --no-follow --json')
    const properties = tail.out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { properties: unknown }).properties)
    t.strictSame(
      properties.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
      [{ note: 'two\nlines, "quoted"', total: 12.5, code: '007' }, { total: true }],
    )
  })

  await t.test('after a kill sending continues, and every line is stored once', async (t) => {
    const file = join(folder, 'many.ndjson')
    const line = JSON.stringify({ event: 'many', userId: 'u' })
    writeFileSync(file, `${line}\n`.repeat(LINES))
    // Slow enough to be killed in the middle, and answering 429 now and then.
    let requests = 0
    const slow = createServer((incoming, response) => {
      if (++requests % 4 === 0) {
        response.writeHead(429, { 'Retry-After': '0' }).end('{"code":"RATE_LIMITED","message":"slower"}')
        return
      }
      const onward = request(
        `${service.ingest}${incoming.url}`,
        { method: 'POST', headers: incoming.headers },
        (answer) => {
          setTimeout(() => {
            response.writeHead(answer.statusCode ?? 500, answer.headers)
            answer.pipe(response)
          }, 150)
        },
      )
      onward.on('error', () => response.destroy())
      incoming.pipe(onward)
    })
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    t.teardown(() => slow.close())
    const address = slow.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const env = { ...environment, SVC_INGEST_URL: `http://127.0.0.1:${port}` }
    const start = () =>
      spawn(process.execPath, [MAIN, 'events', 'send', file], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const place = (): number => {
      try {
        return (JSON.parse(readFileSync(`${file}.svc-progress`, 'utf8')) as { line: number }).line
      } catch {
        return 0
      }
    }
    const killed = start()
    await until(
      async () => place(),
      (at) => at > 0,
    )
    killed.kill('SIGKILL')
    await new Promise((resolve) => killed.once('exit', resolve))
    const first = place()
    t.ok(first > 0 && first < LINES, `stopped at ${first}`)

    const interrupted = start()
    await until(
      async () => place(),
      (at) => at > first,
    )
    interrupted.kill('SIGINT')
    const code = await new Promise((resolve) => interrupted.once('exit', resolve))
    t.equal(code, 1)
    t.ok(place() < LINES)

    const rest = await sh('svc events send many.ndjson', { SVC_INGEST_URL: env.SVC_INGEST_URL })
    t.match(rest, { code: 0, out: /6,000 accepted, 0 refused, 0 not sent/, err: /Resuming after line/ })
    t.notOk(existsSync(`${file}.svc-progress`))
    t.equal(await stored('many', LINES), LINES)
    // A later event of the same person is stored after all lines of the file, also those sent twice.
    writeFileSync(join(folder, 'after.ndjson'), JSON.stringify({ event: 'after', userId: 'u' }))
    t.equal((await sh('svc events send after.ndjson')).code, 0)
    t.equal(await stored('after', 1), 1)
    t.equal(await countOf(service.api, service.keys.apiKey, 'many'), LINES, 'none twice')
  })
})
