// Finds the descendants of a process, so that none outlives its test. A test's services lead their own
// process groups, some with their own environment, so the tree is read repeatedly while the test runs.
// Without /proc only the test's own group is known.
import { readdirSync, readFileSync } from 'node:fs'

const EVERY_MS = 400

/** Processes by id, with parent and start time, which tells one from a later one with the same id. */
function processes() {
  const found = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const close = stat.lastIndexOf(')')
      const [state, parent, ...rest] = stat.slice(close + 2).split(' ')
      const program = stat.slice(stat.indexOf('(') + 1, close)
      if (state !== 'Z') found.set(Number(name), { parent: Number(parent), began: rest[17], program })
    } catch {
      // It has ended meanwhile.
    }
  }
  return found
}

const looks = process.platform === 'linux'

/**
 * Watches the descendants of a process. `killAll` kills those that are left, and returns their names without
 * the process itself.
 */
export function watchDescendants(pid) {
  const known = new Map()
  const look = () => {
    if (!looks) return new Map()
    const all = processes()
    if (known.size === 0 && all.has(pid)) known.set(pid, all.get(pid).began)
    // The id of one that has ended may be another test's by now, with children of its own.
    const isOurs = (id) => known.has(id) && all.get(id)?.began === known.get(id)
    for (let found = true; found; ) {
      found = false
      for (const [id, { parent, began }] of all)
        if (known.get(id) !== began && isOurs(parent)) {
          known.set(id, began)
          found = true
        }
    }
    return all
  }
  look()
  const timer = setInterval(look, EVERY_MS)
  return {
    killAll() {
      clearInterval(timer)
      const there = look()
      const left = [...known]
        .filter(([id, began]) => id !== pid && there.get(id)?.began === began)
        .map(([id]) => id)
      const names = left.map((id) => there.get(id).program)
      for (const id of [-pid, ...left]) {
        try {
          process.kill(id, 'SIGKILL')
        } catch {
          // The group is empty.
        }
      }
      return names
    },
  }
}
