// How long a file took, alone on a quiet machine: `"file": [seconds, seconds of processor]`, of the fast tier by its path and of the long one with `#long` behind it.
// They order the files, so that the longest does not come last, and tell what fits into the time that is left. `--durations` writes what a run has measured.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, testFiles } from '../folders.mjs'

const FILE = join(ROOT, 'test/durations.json')
const UNKNOWN = { fast: 5, long: 60 }
/** Of a file that is run in both tiers, the whole against the part. */
const LONGER = 4
/** What mostly sleeps has its busy moments too. */
const MIN_LOAD = 0.25

const read = () => JSON.parse(readFileSync(FILE, 'utf8'))
const keyOf = (file, tier) => (tier === 'long' ? `${file}#long` : file)

/** Seconds by the clock that a file is expected to take. */
export function expectations() {
  const known = read()
  return (file, tier) => {
    const exact = known[keyOf(file, tier)]?.[0]
    if (exact !== undefined || tier === 'fast') return exact ?? UNKNOWN.fast
    return known[file] === undefined ? UNKNOWN.long : known[file][0] * LONGER
  }
}

/** How much of a core a file of the fast tier keeps busy while it runs. */
export function loads() {
  const known = read()
  return (file) => {
    const [wall, processor] = known[file] ?? [1, 1]
    return Math.max(MIN_LOAD, Math.min(1, processor / wall))
  }
}

/** Keeps what was measured, and forgets files that are gone. */
export function keepDurations(results, tier) {
  const files = new Set(testFiles())
  const kept = Object.entries(read()).filter(([key]) => files.has(key.replace(/#long$/, '')))
  const rounded = (seconds) => Math.round(seconds * 10) / 10
  for (const { file, seconds, processorSeconds } of results)
    kept.push([keyOf(file, tier), [rounded(seconds), rounded(processorSeconds ?? seconds)]])
  const sorted = Object.entries(Object.fromEntries(kept)).sort(([a], [b]) => (a < b ? -1 : 1))
  const lines = sorted.map(([key, [wall, processor]]) => `  ${JSON.stringify(key)}: [${wall}, ${processor}]`)
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`)
}
