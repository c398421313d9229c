import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../../test/support/service.js'
import { startWorkspace } from './support/workspace.js'

const EXPERIMENT = `
name: Shorter checkout
variants:
  - { displayName: Control, trafficSplit: 50 }
  - { displayName: One page, trafficSplit: 50 }
conversionTargets:
  - eventName: order_paid
`

type Forwarding = (
  request: IncomingMessage,
  response: ServerResponse,
  forward: () => Promise<void>,
) => Promise<void>

/** A server between the command line and the service; its address. Answers are sent when `handle` is done. */
async function startProxy(
  test: Pick<typeof t, 'teardown'>,
  api: string,
  handle: Forwarding,
): Promise<string> {
  const proxy = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      let answered: Response | undefined
      await handle(request, response, async () => {
        const headers = { ...request.headers } as Record<string, string>
        for (const name of ['host', 'connection', 'content-length']) delete headers[name]
        const { method = 'GET' } = request
        const body = method === 'GET' ? {} : { body: Buffer.concat(chunks).toString() }
        answered = await fetch(`${api}${request.url}`, { method, headers, ...body })
      })
      if (answered === undefined) return
      const { status, headers } = answered
      const etag = headers.get('etag')
      response.writeHead(status, { 'content-type': 'application/json', ...(etag === null ? {} : { etag }) })
      response.end(await answered.text())
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  test.teardown(() => proxy.close())
  const address = proxy.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

t.test('commands work against a running service', async (t) => {
  const workspace = await startWorkspace()
  t.teardown(() => workspace.stop())
  const { sh, service, folder, environment } = workspace
  const { apiKey, readOnlyKey } = service.keys

  await t.test('doctor shows what was refused, and what was probably not meant', async (t) => {
    const none = await sh('svc doctor')
    t.match(none.out, /No link was refused in the last seven days/)
    t.notMatch(none.out, /Recent events|Refused events/)
    const headers = { authorization: `Bearer ${service.keys.serverKey}`, 'content-type': 'application/json' }
    const send = async (query: string, body: string): Promise<number> => {
      const sent = await fetch(`${service.ingest}/v1/events${query}`, { method: 'POST', headers, body })
      return sent.status
    }
    const odd = `{"events":[
      {"event":"seen","anonymousId":"visitor","userId":"undefined","plan":"pro"},
      {"event":"paid","userId":"u","timestamp":"2020-01-01T00:00:00Z","properties":{"id":12345678901234567890}}]}`
    t.equal(await send('?warnings=true', odd), 202)
    t.equal(await send('', '{"events":[{"event":"not a name","userId":"u"}]}'), 400)
    const shown = async () => (await sh('svc doctor')).out.replace(/\s+/g, ' ')
    const found = await until(shown, (text) =>
      ['made no link', '1 paid had', 'Ignored fields', 'Refused events'].every((part) => text.includes(part)),
    )
    t.match(found, /made no link: 1 with a placeholder .* 0 with an anonymous id of another user/)
    t.match(found, '1 seen had a placeholder such as "undefined" as an id: leave out an id that is not known')
    t.match(found, '1 paid had a time more than seven days old, which was moved: send sooner, or import')
    t.match(found, '1 paid had a number that was probably rounded: send ids as texts')
    t.match(found, 'were told: plan of seen (at least 1 time). Put them into properties')
    t.match(
      found,
      '1 or more in the last seven days. The newest, of not a name: events[0].event must contain',
    )
    const { out } = await sh('svc events refused')
    t.match(out.replace(/\s+/g, ' '), /TIMES STATUS KEY .* 1 400 .*not a name/)
    const warned = JSON.parse((await sh('svc events refused --warnings --json')).out)
    t.match(warned.data.map(({ code }: { code: string }) => code).sort(), [
      'CLAMPED_PAST',
      'NUMBER_ROUNDED',
      'PLACEHOLDER_ID',
      'UNKNOWN_FIELD',
    ])
  })

  await t.test(
    'login reads the key from standard input, and stores it so that only its owner can read it',
    async (t) => {
      const here = { SVC_API_KEY: '', XDG_CONFIG_HOME: join(folder, 'config') }
      const none = await sh('svc whoami', here)
      t.match(none, { code: 3, out: '', err: /no key is configured\n {2}try: svc login/ })
      t.match(await sh('echo tsk_api_wrong | svc login', here), { code: 3, err: /UNAUTHENTICATED/ })
      t.match(await sh(`echo ${service.keys.serverKey} | svc login`, here), {
        code: 3,
        err: /sending events/,
      })

      writeFileSync(join(folder, 'key'), `${apiKey}\n`)
      const login = await sh('umask 000; svc login < key', here)
      t.match(login, { code: 0, out: /Logged in to .* as Demo Owner, workspace Demo/ })
      const file = join(folder, 'config', 'svc', 'config.json')
      t.equal(statSync(file).mode & 0o777, 0o600)
      t.match(await sh('svc whoami', here), { code: 0, out: /Demo API key/ })
      t.match(await sh('svc whoami', { ...here, SVC_API_KEY: readOnlyKey }), {
        code: 0,
        out: /may write +nothing/,
      })

      const elsewhere = await sh('svc whoami', { ...here, SVC_API_URL: 'http://192.0.2.1:8081' })
      t.match(
        elsewhere,
        { code: 3, err: /the key of profile default is for/ },
        'a stored key goes to its own machine',
      )
      writeFileSync(join(folder, 'key'), `${readOnlyKey}\n`)
      t.equal((await sh('svc login --profile reader < key', here)).code, 0)
      t.match(await sh('svc whoami --profile default', here), { out: /experiments.decide/ })
      t.match(await sh('svc whoami', { ...here, SVC_PROFILE: 'reader' }), { out: /nothing/ })
      t.match(await sh('svc whoami --profile none', here), { code: 3, err: /there are default, reader/ })

      t.match(await sh('svc logout --profile reader', here), { code: 0, out: 'Forgot the key of reader.\n' })
      t.notMatch(readFileSync(file, 'utf8'), readOnlyKey)
      t.equal((await sh('svc logout --all', here)).code, 0)
      writeFileSync(file, `{"key": "${apiKey}"`)
      const damaged = await sh('svc whoami', here)
      t.match(damaged, { code: 1, err: /is not a file of svc login/ })
      for (const { out, err } of [none, login, elsewhere, damaged]) t.notMatch(out + err, apiKey)
    },
  )

  await t.test('--json prints the answer unchanged', async (t) => {
    const headers = { authorization: `Bearer ${apiKey}` }
    for (const [line, path] of [
      ['svc whoami --json', '/me'],
      ['svc counts --json', '/experiments/counts'],
      [
        'svc experiments list --status running,paused --sort-dir asc --json',
        '/experiments?status=running%2Cpaused&sortDir=asc',
      ],
      ['svc runs --json', '/experiment-runs'],
      ['svc learnings list --json', '/learnings'],
      ['svc funnels list --json', '/funnel'],
      ['svc events list --json', '/events'],
    ] as const) {
      const answer = await fetch(`${service.api}/v1${path}`, { headers })
      t.strictSame(await sh(line), { code: 0, out: `${await answer.text()}\n`, err: '' }, line)
    }
  })

  await t.test('a script can run an experiment by exit codes and --json', async (t) => {
    writeFileSync(join(folder, 'life.yaml'), EXPERIMENT)
    const created = await sh('svc experiments create life.yaml --json')
    t.match(JSON.parse(created.out), { key: 'shorter-checkout', status: 'approved' })
    t.match(await sh('svc experiments start shorter-checkout'), {
      code: 1,
      err: /EVENT_HISTORY_UNAVAILABLE[\s\S]*request [0-9a-f-]{36}\n {2}try: svc events list/,
    })
    t.equal((await sh(`echo '{"event":"order_paid","userId":"u"}' | svc events send -`)).code, 0)
    t.equal((await sh('svc events tail --event order_paid --count 1 --timeout 20 --json')).code, 0)

    const life = await sh(`
      svc experiments start shorter-checkout
      svc experiments pause shorter-checkout
      svc experiments resume shorter-checkout
      svc experiments status shorter-checkout --until running --timeout 5
      svc experiments end shorter-checkout
      svc experiments decide shorter-checkout --ship one-page --reason "More orders" --force --wait --json
      svc experiments status shorter-checkout --wait --until shipped --timeout 5 --json
      svc learnings list --json`)
    t.equal(life.code, 0, life.err)
    const [decided, status, learnings] = life.out
      .trim()
      .split('\n')
      .slice(-3)
      .map((line) => JSON.parse(line))
    t.match(decided, { status: 'shipped', settled: true })
    t.match(status, { status: 'shipped' })
    t.match(learnings.data, [{ experimentKey: 'shorter-checkout', decision: 'ship', variant: 'one-page' }])
    t.match(await sh('svc experiments status shorter-checkout --wait --until running --timeout 5'), {
      code: 1,
      err: /settled as shipped, and will not be running/,
    })
  })

  await t.test('a command on several ids runs them in order up to the first refusal', async (t) => {
    const [one, two] = [await workspace.put('running'), await workspace.put('running')]
    const stopped = await sh(`svc experiments pause ${one} nowhere ${two} --json`)
    t.equal(stopped.code, 1)
    t.match(JSON.parse(stopped.out), { key: one, status: 'paused' })
    t.match(
      stopped.err,
      new RegExp(`nowhere: .*NOT_FOUND[\\s\\S]*done before it: ${one}\\n {2}not tried: ${two}`),
    )
    t.match(JSON.parse((await sh(`svc experiments status ${two} --json`)).out), { status: 'running' })
  })

  await t.test(
    'waiting ends at its time limit, and with exit code 1 in a status that was not asked for',
    async (t) => {
      const running = await workspace.put('running')
      t.match(await sh(`svc experiments status ${running} --wait --timeout 1`), {
        code: 1,
        out: '',
        err: new RegExp(`not over after 1 s.*TIMEOUT\\)\\n {2}look again: svc experiments status ${running}`),
      })
      for (const status of ['pr_failed', 'rejected'] as const) {
        const key = await workspace.put(status)
        t.equal((await sh(`svc experiments status ${key} --wait`)).code, 1, status)
        t.equal((await sh(`svc experiments status ${key} --wait --until ${status}`)).code, 0, status)
      }
      t.equal((await sh(`svc experiments status ${await workspace.put('shipped')} --wait`)).code, 0)
    },
  )

  await t.test('a refusal shows its code, the request id and what to try', async (t) => {
    t.match(await sh('svc experiments pause x', { SVC_API_KEY: readOnlyKey }), {
      code: 1,
      err: /MISSING_PERMISSION\)[\s\S]*try: a key with the scope experiments.manage/,
    })
    t.match(await sh('svc audit'), { code: 1, err: /API_KEY_NOT_ALLOWED_HERE[\s\S]*session of a person/ })
    const session = { SVC_API_KEY: service.keys.sessionToken }
    t.equal((await sh('svc audit --limit 1', session)).code, 0)
    const exported = await sh('svc audit --ndjson --resource-type workspace', session)
    t.match(JSON.parse(exported.out), { action: 'workspace.create', actorPersonName: 'svc' })
    t.match(await sh('svc whoami', { SVC_API_URL: 'http://127.0.0.1:1' }), {
      code: 1,
      err: /cannot be reached/,
    })
    t.match(await sh('svc experiments list --status nonsense'), { code: 1, err: /VALIDATION_FAILED/ })
    t.match(await sh('svc experiments status x --until nonsense'), { code: 2, err: /they are proposed, / })
    t.match(await sh('svc experiments decide x'), { code: 2, err: /--ship VARIANT or --reject/ })
    t.match(await sh('svc funnels apply nowhere.yaml'), { code: 2, err: /there is no file nowhere.yaml/ })
    t.match(await sh('svc experimnts list'), { code: 2, err: /Did you mean experiments\?/ })
  })

  await t.test('a 503 is repeated after Retry-After with the same Idempotency-Key', async (t) => {
    const keys: (string | undefined)[] = []
    const proxy = await startProxy(t, service.api, async (request, response, forward) => {
      if (request.method === 'POST' && keys.push(String(request.headers['idempotency-key'])) === 1)
        response.writeHead(503, { 'Retry-After': '0' }).end('{"code":"UNAVAILABLE","message":"later"}')
      else await forward()
    })
    const key = await workspace.put('running')
    const paused = await sh(`svc experiments pause ${key}`, { SVC_API_URL: proxy })
    t.match(paused, { code: 0, err: /not available; again in/ })
    t.equal(keys.length, 2)
    t.equal(keys[0], keys[1])
    t.match(keys[0], /^[A-Za-z0-9-]{8,128}$/)
  })

  await t.test(
    'applying funnels twice changes nothing the second time, and pulling keeps comments',
    async (t) => {
      const file = join(folder, 'shop.yaml')
      const text = `# The shop
funnels:
  # to money
  - name: Checkout
    windowSeconds: 3600 # an hour
    steps:
      - eventName: visit # first
      - eventName: order_paid
  - name: Quick
    steps: [{ eventName: visit }]
`
      writeFileSync(file, text)
      t.match(await sh('svc funnels apply shop.yaml --dry-run'), {
        code: 0,
        out: /create Checkout[\s\S]*2 to create/,
      })
      t.match(
        JSON.parse((await sh('svc funnels list --json')).out),
        { data: [] },
        'a dry run changes nothing',
      )
      t.equal((await sh('svc funnels apply shop.yaml')).code, 0)
      t.match(await sh('svc funnels apply shop.yaml'), { code: 0, out: /Nothing to do: 2 funnels/ })
      t.equal((await sh('svc funnels pull shop.yaml')).code, 0)
      t.equal(readFileSync(file, 'utf8'), text, 'what says the same is not touched')

      writeFileSync(join(folder, 'upper.yaml'), text.replace('Checkout', ' CHECKOUT'))
      t.match(await sh('svc funnels apply upper.yaml'), { code: 0, out: /update CHECKOUT[\s\S]*1 to update/ })
      t.match(await sh('svc funnels apply upper.yaml'), { code: 0, out: /Nothing to do: 2 funnels/ })
      t.equal((await sh('svc funnels apply shop.yaml')).code, 0)

      writeFileSync(
        join(folder, 'other.yaml'),
        text.replace('3600', '7200').replace('order_paid', 'order_done'),
      )
      for (const path of [/^\/v1\/funnel$/, /^\/v1\/funnel\/[\w-]+$/]) {
        const proxy = await startProxy(t, service.api, async (request, _, forward) => {
          const { data } = JSON.parse((await sh('svc funnels list --json')).out)
          const { id } = data.find((one: { name: string }) => one.name === 'Checkout')
          await forward()
          if (request.method !== 'GET' || !path.test(request.url ?? '')) return
          await fetch(`${service.api}/v1/funnel/${id}`, {
            method: 'PATCH',
            headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
            body: JSON.stringify({ description: `changed after ${path}` }),
          })
        })
        const refused = await sh('svc funnels apply other.yaml', { SVC_API_URL: proxy })
        t.match(refused, { code: 1, err: /PRECONDITION_FAILED[\s\S]*nothing was changed/ }, String(path))
        t.match((await sh('svc funnels list --json')).out, `"changed after ${path}"`.replaceAll('\\', '\\\\'))
      }
      const changed = JSON.parse((await sh('svc funnels apply other.yaml --json')).out)
      t.match(changed, { applied: true, changes: [{ action: 'update', name: 'Checkout' }] })
      t.match(changed.changes[0].diff, /-windowSeconds: 3600\n\+windowSeconds: 7200/)
      t.equal((await sh('svc funnels pull shop.yaml')).code, 0)
      const pulled = readFileSync(file, 'utf8')
      t.match(
        pulled,
        /# The shop[\s\S]*# to money[\s\S]*windowSeconds: 7200 # an hour[\s\S]*visit # first\n.*order_done/,
      )

      writeFileSync(join(folder, 'less.json'), '{"funnels": []}')
      t.match(await sh('svc funnels apply less.json'), {
        code: 0,
        out: /kept without --prune: Checkout, Quick|Quick, Checkout/,
      })
      t.match(await sh('svc funnels apply less.json --prune'), { code: 2, err: /--yes/ })
      t.match(await sh('svc funnels apply less.json --prune --yes'), { code: 0, out: /2 to delete/ })

      writeFileSync(
        join(folder, 'bad.yaml'),
        'funnels:\n  - name: X\n    steps:\n      - eventName: "a b"\n    colour: red\n',
      )
      t.match(await sh('svc funnels apply bad.yaml'), {
        code: 2,
        err: /bad\.yaml:4:20: \/funnels\/0\/steps\/0\/eventName[\s\S]*bad\.yaml:5:5|bad\.yaml:5:13/,
      })
      t.match(await sh('svc funnels apply -'.concat(' <<END\nfunnels: [\nEND')), {
        code: 2,
        err: /standard input:\d+:\d+: /,
      })
    },
  )

  await t.test('the client that the service serves is one file, and runs without dependencies', async (t) => {
    const served = await fetch(`${service.api}/reference/svc.tgz`)
    t.equal(served.status, 200, 'made by scripts/build-client.mjs')
    const archive = Buffer.from(await served.arrayBuffer())
    t.ok(archive.length < 1_000_000)
    const again = await fetch(`${service.api}/v1/reference/svc.tgz`, {
      headers: { 'if-none-match': served.headers.get('etag') ?? '' },
    })
    t.equal(again.status, 304)
    writeFileSync(join(folder, 'svc.tgz'), archive)
    const { PATH: _, ...alone } = environment
    const out = await sh(`tar xzf svc.tgz && "${process.execPath}" package/svc.js whoami --json`, alone)
    t.match(JSON.parse(out.out), { workspace: { name: 'Demo' } })
    t.notMatch(readFileSync(join(folder, 'package', 'client-commands.js'), 'utf8'), 'dead-letters')
  })
})
