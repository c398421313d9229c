import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MachineClock } from '../clients/machine-clock.js'

/** Variables of the service for runs over the whole product: a clock that can be stepped, and short waits. */
export function productEnvironment(dataDir: string, clock: MachineClock): Readonly<Record<string, string>> {
  clock.file = join(dataDir, 'clock')
  writeFileSync(clock.file, '0')
  mkdirSync(pointsFolder(dataDir))
  return {
    CHAOS_CLOCK: clock.file,
    CHAOS_POINTS: pointsFolder(dataDir),
    NODE_OPTIONS: `--import ${new URL('./preload.js', import.meta.url).href}`,
    SVC_SETTLING_HOURS: '0.0008',
    SVC_RESULTS_MAX_AGE_SECONDS: '5',
  }
}

/** The fault point of each process, by the name of its instance; `all` if it has none. */
export const pointsFolder = (dataDir: string): string => join(dataDir, 'points')
