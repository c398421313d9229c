import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

/**
 * The shell becomes the program, so that signals meet it. Its child waits for the pipe from this process to
 * close, which happens when either of the two ends. It kills the program, also a stopped one, and removes the
 * data if this process ended without doing so. (A process group that loses its parent while one of its
 * processes is stopped is sent a hang-up.)
 */
const WRAPPER = `owner=$1 data=$2; shift 2; exec 3<&0
(trap '' HUP; cat <&3; kill -9 $$; sleep 1; kill -0 $owner || rm -rf "$data") >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-`

/** Starts a program that ends with this process, however it ends. */
export function spawnOwned(
  command: readonly string[],
  folders: {
    /** Removed if this process ends without doing so. */
    readonly data: string
    readonly cwd: string
    /** The file that its output is added to. */
    readonly output: string
  },
): ChildProcess {
  const output = openSync(folders.output, 'a')
  try {
    return spawn('/bin/sh', ['-c', WRAPPER, 'sh', String(process.pid), folders.data, ...command], {
      cwd: folders.cwd,
      stdio: ['pipe', output, output],
    })
  } finally {
    closeSync(output)
  }
}
