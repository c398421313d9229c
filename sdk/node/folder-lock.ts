import { createHash } from 'node:crypto'
import { closeSync, linkSync, openSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join, resolve } from 'node:path'

const LOCK = /^lock-(\d+)$/

/**
 * Locks a folder until `close` or the end of the process, however it ends: the lock is a socket on which this
 * process listens. Undefined if another process has it, or another object of this one.
 *
 * The sockets are numbered. A process takes the number after a dead one, and only one process can. The last
 * socket is never removed, so that numbers only grow.
 *
 * @throws Error if the file system has no sockets
 */
export async function lockFolder(folder: string): Promise<Server | undefined> {
  if (process.platform === 'win32') return lockPipe(folder)
  const temporary = `lock.${process.pid}.${Math.random().toString(36).slice(2, 8)}`
  const server = await inFolder(folder, temporary, listenOn)
  try {
    for (;;) {
      const last = Math.max(0, ...numbers(folder))
      if (last > 0 && (await inFolder(folder, `lock-${last}`, isAlive))) break
      if (!linkNew(join(folder, temporary), join(folder, `lock-${last + 1}`))) continue
      // A slow process may have linked a number that faster ones took and removed long ago.
      if (Math.max(...numbers(folder)) > last + 1) {
        rmSync(join(folder, `lock-${last + 1}`), { force: true })
        continue
      }
      for (const old of numbers(folder)) if (old <= last) rmSync(join(folder, `lock-${old}`), { force: true })
      return server
    }
  } catch (error) {
    server.close()
    throw error
  } finally {
    rmSync(join(folder, temporary), { force: true })
  }
  server.close()
  return undefined
}

/** A pipe's name is free again when its process has ended. */
async function lockPipe(folder: string): Promise<Server | undefined> {
  const name = createHash('sha256').update(resolve(folder).toLowerCase()).digest('hex').slice(0, 32)
  return listenOn(`\\\\.\\pipe\\svc-events-${name}`).catch((error) => {
    if (error.code === 'EADDRINUSE') return undefined
    throw error
  })
}

function numbers(folder: string): number[] {
  return readdirSync(folder).flatMap((name) => {
    const number = LOCK.exec(name)?.[1]
    return number === undefined ? [] : [Number(number)]
  })
}

function listenOn(path: string): Promise<Server> {
  return new Promise((fulfil, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', reject)
    // Exclusive: workers of a cluster must not share it.
    server.listen({ path, exclusive: true }, () => fulfil(server.unref()))
  })
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((fulfil) => {
    const socket = connect(path, () => fulfil(true))
    socket.once('error', (error: NodeJS.ErrnoException) =>
      // A full backlog has a process behind it.
      fulfil(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    )
    socket.once('connect', () => socket.destroy())
  })
}

/** Paths of sockets are at most about a hundred bytes long. Linux has a short one for an open folder. */
async function inFolder<T>(folder: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, name)
  if (Buffer.byteLength(path) < 100 || process.platform !== 'linux') return use(path)
  const descriptor = openSync(folder, 'r')
  return use(`/proc/self/fd/${descriptor}/${name}`).finally(() => closeSync(descriptor))
}

/** False if the name exists. */
function linkNew(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
