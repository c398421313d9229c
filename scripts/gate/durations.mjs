// How long a file takes alone on a quiet machine: `"file": [seconds, CPU seconds]`; the long tier's have
// `#long` after the path. They sort the files, longest first, and tell what fits into the remaining time.
// `--durations` writes a run's measurements.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, testFiles } from '../folders.mjs'

const FILE = join(ROOT, 'test/durations.json')
const UNKNOWN = { fast: 5, long: 60 }
/** Factor between the whole and the fast part of a file that runs in both tiers. */
const LONGER = 4
/** A file that mostly sleeps is busy now and then. */
const MIN_LOAD = 0.25

const read = () => JSON.parse(readFileSync(FILE, 'utf8'))
const keyOf = (file, tier) => (tier === 'long' ? `${file}#long` : file)

/** The expected clock seconds of a file. */
export function expectations() {
  const known = read()
  return (file, tier) => {
    const exact = known[keyOf(file, tier)]?.[0]
    if (exact !== undefined || tier === 'fast') return exact ?? UNKNOWN.fast
    return known[file] === undefined ? UNKNOWN.long : known[file][0] * LONGER
  }
}

/** The share of a core that a file of the fast tier keeps busy. */
export function loads() {
  const known = read()
  return (file) => {
    const [wall, processor] = known[file] ?? [1, 1]
    return Math.max(MIN_LOAD, Math.min(1, processor / wall))
  }
}

/** Stores the measurements and forgets files that no longer exist. */
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
