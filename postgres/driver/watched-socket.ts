import { lookup } from 'node:dns'
import { connect, type LookupFunction, type Socket } from 'node:net'

/** The servers' addresses, as the driver passes them to a socket factory. */
export interface SocketAddress {
  readonly host: readonly string[]
  readonly port: readonly number[]
  /** Of a Unix socket. */
  readonly path?: string | false
}

/** A connection silent for this long is replaced: one that only listens would not notice that it is dead. */
const QUIET_MS = 120_000
const FAREWELL_MS = 500

/**
 * Makes sockets that close if an answer does not come in time. The driver waits for ever on a connection
 * whose other end vanished (a fail-over, a firewall that forgot it), and so would every later user of that
 * connection.
 *
 * @param answerMs longer than the server lets any statement run
 */
export function watchedSockets(answerMs: number): (address: SocketAddress) => Socket {
  let turn = 0
  return ({ host, port, path }) => {
    const at = turn++ % host.length
    const name = host[at] ?? ''
    const socket = path
      ? connect(path)
      : connect({ host: 'postgres', port: port[at] ?? 0, lookup: lookupOf(name) })
    watch(socket, answerMs)
    // The driver reads the host from here, for errors and for the server's certificate. Node reads `_host`,
    // also if it is an address: certificates name those too.
    return Object.assign(socket, { host: name, port: port[at], _host: name })
  }
}

/**
 * Resolves a host name, but never synchronously: the driver attaches its error listener only after it has the
 * socket.
 */
function lookupOf(host: string): LookupFunction {
  return (_, options, found) => void setImmediate(() => lookup(host, options, found))
}

/**
 * An answer is due while bytes were written after the last ones read. Under TLS a socket has counters but no
 * events: a write close to a read then counts as unanswered, so an idle connection is replaced sooner than
 * necessary.
 */
function watch(socket: Socket, answerMs: number): void {
  const quietMs = Math.max(QUIET_MS, answerMs)
  const everyMs = Math.min(1_000, answerMs / 4)
  let lookedAt = performance.now()
  let readAt = lookedAt
  let dueSince: number | undefined
  let endedSince = Number.POSITIVE_INFINITY
  let before = { read: socket.bytesRead, written: socket.bytesWritten }
  let answered = before
  socket.on('data', () => {
    answered = { read: socket.bytesRead, written: socket.bytesWritten }
    dueSince = undefined
  })
  const look = (): void => {
    if (socket.destroyed) {
      stop()
      return
    }
    const now = performance.now()
    // The process was suspended: the answer may have arrived unread.
    const frozenMs = Math.max(0, now - lookedAt - 2 * everyMs)
    lookedAt = now
    const counted = { read: socket.bytesRead, written: socket.bytesWritten }
    if (counted.read !== before.read) readAt = now
    if (counted.read !== answered.read) {
      answered = { read: counted.read, written: before.written }
      dueSince = undefined
    }
    before = counted
    if (counted.written === answered.written) dueSince = undefined
    else dueSince = dueSince === undefined ? now : dueSince + frozenMs
    const isSilent = (dueSince !== undefined && now - dueSince > answerMs) || now - readAt > quietMs
    // We ended it and the other end does not: the open socket would keep the process alive.
    if (isSilent || endedSince < now - FAREWELL_MS) socket.destroy()
    else if (socket.writableEnded && endedSince > now) endedSince = now
  }
  const stop = regularly(everyMs, look)
}

const looks = new Map<number, Set<() => void>>()

/**
 * Calls all checks of the same interval together. A process with twenty connections would otherwise wake up
 * twenty times.
 */
function regularly(everyMs: number, look: () => void): () => void {
  let together = looks.get(everyMs)
  if (together === undefined) {
    const set = new Set<() => void>()
    const timer = setInterval(() => {
      for (const each of set) each()
      if (set.size > 0) return
      clearInterval(timer)
      looks.delete(everyMs)
    }, everyMs)
    timer.unref()
    looks.set(everyMs, set)
    together = set
  }
  together.add(look)
  return () => {
    together.delete(look)
  }
}
