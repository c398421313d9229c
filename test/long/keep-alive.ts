import { spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { executablePath } from '../support/executable.js'
import { call, startService, temporaryDataDir } from '../support/service.js'

/*
 * Clients that keep connections, on both ports, over a slow network: a request, a pause about as long as the
 * server keeps an idle connection, the next request. A client that reuses a connection too late fails.
 */

/** One way. The server's end of a connection and the next request cross if they are this close. */
const LATENCY_MS = 200
/** 20 pauses: 4 well within `Keep-Alive: timeout=6`, 16 around the end that follows after 8 to 11 seconds. */
const PAUSES_MS = Array.from({ length: 20 }, (_, i) => (i < 4 ? 600 * (i + 1) : 7_000 + 300 * (i - 4)))
const ALWAYS_REUSED_MS = 2_400
const EVENT = JSON.stringify({ events: [{ event: 'kept', userId: 'node' }] })

interface Pair {
  readonly url: string
  readonly key: string
  readonly pauseMs: number
}

/** Sends the two requests of each pair; resolves with the errors. */
type Client = (pairs: readonly Pair[]) => Promise<readonly string[]>

/** A relay on every loopback address that delays data and ends, and counts connections by address. */
async function startSlowRelay(target: URL) {
  const connections = new Map<string, number>()
  const sockets = new Set<Socket>()
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    const later = (step: () => void): void => void setTimeout(step, LATENCY_MS)
    from.setNoDelay(true)
    from.on('data', (data) => later(() => to.writable && to.write(data)))
    from.on('end', () => later(() => to.end()))
    from.on('error', () => later(() => to.resetAndDestroy()))
  }
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const address = near.localAddress ?? ''
    connections.set(address, (connections.get(address) ?? 0) + 1)
    const far = connect({ host: target.hostname, port: Number(target.port), allowHalfOpen: true })
    pass(near, far)
    pass(far, near)
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Sends both requests of every pair at the same time; `send` resolves with the status. */
const inThisProcess =
  (send: (pair: Pair) => Promise<number>): Client =>
  async (pairs) => {
    const outcomes = await Promise.allSettled(
      pairs.map(async (pair) => {
        const first = await send(pair)
        await sleep(pair.pauseMs)
        return [first, await send(pair)]
      }),
    )
    return outcomes.flatMap((outcome, i) => {
      if (outcome.status === 'fulfilled' && outcome.value.every((status) => status <= 202)) return []
      return [
        `after ${pairs[i]?.pauseMs} ms: ${outcome.status === 'fulfilled' ? outcome.value : outcome.reason}`,
      ]
    })
  }

const headersOf = ({ key }: Pair) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
const isPost = ({ url }: Pair): boolean => url.endsWith('/events')

function sendByAgent(agent: Agent, pair: Pair): Promise<number> {
  return new Promise((resolve, reject) => {
    const body = isPost(pair) ? EVENT : ''
    const headers = { ...headersOf(pair), ...(body === '' ? {} : { 'content-length': body.length }) }
    const sent = request(pair.url, { agent, method: isPost(pair) ? 'POST' : 'GET', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.on('error', reject).end(body)
  })
}

async function sendByFetch(pair: Pair): Promise<number> {
  const method = isPost(pair) ? { method: 'POST', body: EVENT } : {}
  const answer = await fetch(pair.url, { headers: headersOf(pair), ...method })
  await answer.arrayBuffer()
  return answer.status
}

/** Runs a program. Every line that it writes is an error. */
function run(command: string, args: readonly string[]): Promise<string[]> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    const read = (data: Buffer): void => {
      text += data.toString()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('close', (code) => {
      const lines = text.split('\n').filter((line) => line !== '')
      resolve(code === 0 ? lines : [...lines, `${command} exited with ${code}`])
    })
  })
}

/** curl paces its transfers from start to start: the first one takes two round trips. */
const byCurl: Client = async (pairs) => {
  const errors = await Promise.all(
    pairs.map((pair) => {
      const rate = `${Math.round(3_600_000 / (pair.pauseMs + 4 * LATENCY_MS))}/h`
      const headers = Object.entries(headersOf(pair)).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
      const body = isPost(pair) ? ['-d', EVENT] : []
      const bodies = ['-o', '/dev/null', '-o', '/dev/null']
      return run('curl', ['-sSf', '--rate', rate, ...headers, ...body, ...bodies, pair.url, pair.url])
    }),
  )
  return errors.flat()
}

const byProgram =
  (command: string, args: readonly string[], file: string): Client =>
  (pairs) => {
    const path = join(packageRoot(), 'test/fixtures/keep-alive', file)
    const words = pairs.flatMap(({ url, key, pauseMs }) => [url, key, String(pauseMs)])
    return run(command, [...args, path, ...words])
  }

/** Node heeds the header only if the agent has a `timeout`. */
const agent = new Agent({ keepAlive: true, timeout: 60_000 })
/** Each client, and the program that it needs. */
const CLIENTS: Readonly<Record<string, readonly [client: Client, program?: string]>> = {
  'Node http.Agent': [inThisProcess((pair) => sendByAgent(agent, pair))],
  'fetch (undici)': [inThisProcess(sendByFetch)],
  curl: [byCurl, 'curl'],
  Go: [byProgram('go', ['run'], 'client.go'), 'go'],
  Java: [byProgram('java', [], 'Client.java'), 'java'],
}

t.test('no client sees an error around the end of idle connections', async (t) => {
  const dataDir = temporaryDataDir()
  t.teardown(dataDir.remove)
  const service = await startService(dataDir.path)
  t.teardown(() => service.stop())
  const { apiKey, serverKey } = service.keys
  await call(serverKey, 'POST', `${service.ingest}/v1/events`, JSON.parse(EVENT))
  t.jobs = Object.keys(CLIENTS).length
  const tests = Object.entries(CLIENTS).map(([name, [client, program]]) => {
    const there = program === undefined || executablePath([program]) !== undefined
    const skip = there ? false : `optional: no ${program} on this machine`
    return t.test(name, { skip, buffered: true }, async (t) => {
      const api = await startSlowRelay(new URL(service.api))
      const ingest = await startSlowRelay(new URL(service.ingest))
      t.teardown(api.close)
      t.teardown(ingest.close)
      const pairs = PAUSES_MS.flatMap((pauseMs, i) => [
        { pauseMs, key: apiKey, url: `http://127.0.0.${i + 1}:${api.port}/v1/experiments` },
        { pauseMs, key: serverKey, url: `http://127.0.0.${i + 1}:${ingest.port}/v1/events` },
      ])
      t.strictSame(await client(pairs), [])
      for (const { connections } of [api, ingest])
        PAUSES_MS.forEach((pauseMs, i) => {
          const made = connections.get(`127.0.0.${i + 1}`)
          if (pauseMs <= ALWAYS_REUSED_MS) t.equal(made, 1, `one connection for both, ${pauseMs} ms apart`)
          else t.ok(made === 1 || made === 2, `${made} connections, ${pauseMs} ms apart`)
        })
    })
  })
  await Promise.all(tests)
})
