import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Teardown } from '../stores.js'

/** A folder on a separate disk. */
export interface SmallDisk {
  /** Fills every byte that is left; again after some were freed. */
  fill(): void
  /** Frees the space that `fill` used. */
  free(): void
}

/** Mounts a small disk on a folder until the end of the test. Returns the reason if that is not permitted. */
export function mountSmallDisk(t: Teardown, folder: string, megabytes: number): SmallDisk | string {
  mkdirSync(folder, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', folder], { stdio: 'pipe' })
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error)
    return `a small disk cannot be mounted here: ${reason}`
  }
  t.teardown(() => execFileSync('umount', ['-l', folder], { stdio: 'pipe' }))
  const ballast = join(folder, 'ballast')
  return {
    fill() {
      const file = openSync(ballast, 'a')
      try {
        for (const bytes of [1_048_576, 4_096]) takeAll(file, Buffer.alloc(bytes, 1))
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(ballast, { force: true }),
  }
}

function takeAll(file: number, block: Buffer): void {
  try {
    for (;;) writeSync(file, block)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}
