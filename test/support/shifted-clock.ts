import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Teardown } from './stores.js'

/** Shifts `Date` in every thread and process of Node by the milliseconds in a file. */
const PRELOAD = `
const { readFileSync } = require('node:fs')
const real = Date.now
Date.now = () => real() + Number(readFileSync(process.env.TEST_CLOCK_SHIFT, 'utf8'))
globalThis.Date = class extends Date {
  constructor(...given) { given.length === 0 ? super(Date.now()) : super(...given) }
}
`

/** The clock of a program in child processes: the real one, shifted. Postgres has its own. */
export function shiftedClock(t: Teardown): {
  readonly env: Readonly<Record<string, string>>
  /** Sets it to a time, from which it runs on. */
  set(time: number): void
} {
  const folder = mkdtempSync(join(tmpdir(), 'svc-clock-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [preload, shift] = [join(folder, 'clock.cjs'), join(folder, 'shift')]
  writeFileSync(preload, PRELOAD)
  writeFileSync(shift, '0')
  return {
    env: { NODE_OPTIONS: `--require ${preload}`, TEST_CLOCK_SHIFT: shift },
    set(time) {
      // In one step, since it is read all the time.
      writeFileSync(`${shift}-next`, String(time - Date.now()))
      renameSync(`${shift}-next`, shift)
    },
  }
}
