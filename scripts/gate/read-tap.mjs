// What a TAP stream says: how many assertions passed, failed and were skipped, and the innermost of those that failed.
import { Parser } from 'tap-parser'

/**
 * A stream that is written into; `isOver()` says whether nothing more need come: all that was planned has been told, or a
 * test has taken too long and may keep the process busy for good. `end()` gives `{ passed, failed, skips, failures, planned, bailout }`.
 */
export function readTap() {
  const read = { passed: 0, failed: 0, skips: [], failures: [], planned: false, bailout: undefined }
  let expired = false
  const watch = (parser, path) => {
    // A subtest's own line repeats what stands in it, unless nothing does: a property, a time-out, a plan that was not kept.
    let before = { all: 0, failed: 0 }
    const all = () => read.passed + read.failed + read.skips.length
    parser.on('child', (child) => {
      before = { all: all(), failed: read.failed }
      watch(child, [...path, child.name])
    })
    parser.on('assert', (point) => {
      const { ok, name, skip, todo, diag, closingTestPoint } = point
      if (diag?.expired !== undefined) expired = true
      if (closingTestPoint && (ok ? all() > before.all : read.failed > before.failed)) return
      if (skip !== false)
        read.skips.push({ name: [...path, name].join(' › '), reason: skip === true ? '' : skip })
      else if (todo !== false)
        read.skips.push({ name: [...path, name].join(' › '), reason: todo === true ? '' : todo })
      else if (ok) read.passed++
      else {
        read.failed++
        read.failures.push({ path: [...path, name], diag })
      }
    })
  }
  const parser = new Parser()
  watch(parser, [])
  parser.on('bailout', (reason) => {
    read.bailout = reason
  })
  parser.on('complete', ({ plan, ok }) => {
    // Where there is none the parser makes one up.
    read.planned = plan.end !== null && !parser.syntheticPlan
    if (read.planned && plan.skipAll && plan.skipReason !== undefined)
      read.skips.push({ name: 'all of it', reason: plan.skipReason })
    if (!ok && read.failed === 0) read.failures.push({ path: ['the plan'], diag: undefined })
  })
  return {
    isOver: () => expired || (parser.planEnd >= 0 && parser.count >= parser.planEnd),
    write: (chunk) => void parser.write(chunk),
    end: () => {
      parser.end()
      return read
    },
  }
}
