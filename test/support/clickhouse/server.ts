import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { tryResolveLibchdb } from 'chdb/libchdb'
import { freePort } from '../network/free-port.js'

/** A ClickHouse server in a separate process. A test can kill, freeze and restart it on its stored data. */
export interface ClickHouseServer {
  /** `http://user:password@host:port`, without a database; the same after every start. */
  readonly url: string
  /** The same for a user who may only read. */
  readonly readerUrl: string
  /** Undefined while it does not run. */
  readonly pid: number | undefined
  /** SIGKILL. Resolves when the process is gone. */
  kill(): Promise<void>
  freeze(): void
  thaw(): void
  /** Starts it again if it does not run. Resolves when it serves. */
  start(): Promise<void>
}

export interface ServerPorts {
  readonly httpPort: number
  /** Of the native protocol, by which servers of a cluster reach each other. */
  readonly tcpPort: number
}

const START_LIMIT_MS = 60_000
const POLL_MS = 25
const USER = 'svc'
const READER = 'reader'
/** With the characters that an address or XML must escape. */
const PASSWORD = 'p<a&s:s@w%r/d'

/** Why no ClickHouse server can run on this system, for the reason of a skip. */
export function clickhouseProblem(): string | undefined {
  if (tryResolveLibchdb() === undefined) return 'chdb has no library for this system'
  try {
    createRequire(import.meta.url)('ffi-rs')
    return undefined
  } catch (error) {
    return `ffi-rs does not load: ${String(error)}`
  }
}

/**
 * Serves the store in `folder`, which stays the caller's. The server ends with this process, however it ends.
 * @param more further elements of the server's config.xml
 * @param ports free ones by default
 */
export async function startClickHouseServer(
  folder: string,
  more: (ports: ServerPorts) => string = () => '',
  ports?: ServerPorts,
): Promise<ClickHouseServer> {
  ports ??= await freeServerPorts()
  const { httpPort } = ports
  const file = writeConfig(resolve(folder), ports, more(ports))
  const ping = `http://127.0.0.1:${httpPort}/ping`
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    if (child !== undefined) return
    const started = fork(fileURLToPath(new URL('./program.js', import.meta.url)), [file], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    child = started
    let output = ''
    started.stderr?.on('data', (data) => {
      output = `${output}${data}`.slice(-4_000)
    })
    started.once('exit', () => {
      if (child === started) child = undefined
    })
    for (const end = Date.now() + START_LIMIT_MS; !(await answers(ping)); await pause(POLL_MS)) {
      if (child === started && Date.now() < end) continue
      started.kill('SIGKILL')
      throw new Error(`the ClickHouse server in ${folder} did not start: ${output}`)
    }
  }
  await start()
  const urlOf = (user: string) => `http://${user}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${httpPort}`
  return {
    url: urlOf(USER),
    readerUrl: urlOf(READER),
    get pid() {
      return child?.pid
    },
    async kill() {
      const ending = child
      if (ending === undefined) return
      const ended = new Promise((resolve) => ending.once('exit', resolve))
      ending.kill('SIGKILL')
      await ended
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    start,
  }
}

export async function freeServerPorts(): Promise<ServerPorts> {
  return { httpPort: await freePort(), tcpPort: await freePort() }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) })
    return (await response.text()) === 'Ok.\n'
  } catch {
    return false
  }
}

/** Writes config.xml and users.xml, and returns the path of the first. */
function writeConfig(folder: string, { httpPort, tcpPort }: ServerPorts, more: string): string {
  mkdirSync(folder, { recursive: true })
  const users = join(folder, 'users.xml')
  const config = join(folder, 'config.xml')
  writeFileSync(
    config,
    `<clickhouse>
  <path>${folder}/data/</path>
  <users_config>${users}</users_config>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${httpPort}</http_port>
  <tcp_port>${tcpPort}</tcp_port>
  ${more}
</clickhouse>`,
  )
  const user = (name: string, password: string, profile: string) =>
    `<${name}><password>${escaped(password)}</password><networks><ip>127.0.0.1</ip></networks>
      <profile>${profile}</profile><quota>default</quota></${name}>`
  writeFileSync(
    users,
    `<clickhouse>
  <profiles><default/><reading><readonly>2</readonly></reading></profiles>
  <quotas><default/></quotas>
  <users>
    <!-- The session that opens the listeners. -->
    ${user('default', '', 'default')}
    ${user(USER, PASSWORD, 'default')}
    ${user(READER, PASSWORD, 'reading')}
  </users>
</clickhouse>`,
  )
  return config
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
