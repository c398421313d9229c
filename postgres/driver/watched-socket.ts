import { lookup } from 'node:dns'
import { connect, type LookupFunction, type Socket } from 'node:net'

/** What the driver knows of the servers when it wants a socket. */
export interface SocketAddress {
  readonly host: readonly string[]
  readonly port: readonly number[]
  /** Of a socket in the file system. */
  readonly path?: string | false
}

/** A connection over which nothing has come for so long is made anew: one that only listens would not notice that it is dead. */
const QUIET_MS = 120_000
const FAREWELL_MS = 500

/**
 * Makes sockets that are closed when what was sent over them is not answered in time. The driver itself waits for ever on a connection whose other end is
 * silently gone (a fail-over, a firewall that forgot it), and so would everybody who gets that connection next.
 *
 * @param answerMs longer than any statement is let run by the server
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
    // The driver looks here for what to name in errors, and to find in the server's certificate.
    // So does Node, at `_host`, where it is an address: a certificate names those too.
    return Object.assign(socket, { host: name, port: port[at], _host: name })
  }
}

/** Finds the host itself, but never at once: the driver begins to listen for errors only after it has got the socket. */
function lookupOf(host: string): LookupFunction {
  return (_, options, found) => void setImmediate(() => lookup(host, options, found))
}

/**
 * An answer is due while bytes were written after the last ones read. Under TLS the socket has counters only and no events of its own: what was written shortly before or
 * after something was read then counts as not answered, so an idle connection is made anew sooner than need be.
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
    // This process stood still: the answer may be there and not read yet.
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
    // Ended by us, and the other end does not do the same: the process could not end.
    if (isSilent || endedSince < now - FAREWELL_MS) socket.destroy()
    else if (socket.writableEnded && endedSince > now) endedSince = now
  }
  const stop = regularly(everyMs, look)
}

const looks = new Map<number, Set<() => void>>()

/** Calls all that have the same interval together: a process with twenty connections would wake up twenty times for what once does. */
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
