// Reads a TAP stream: how many assertions passed, failed and were skipped, and the innermost failures.
import { Parser } from 'tap-parser'

/**
 * A writable stream. `isOver()` tells whether nothing more needs to come: the plan is complete, or a test
 * timed out and may keep the process busy. `end()` returns `{ passed, failed, skips, failures, planned,
 * bailout }`.
 */
export function readTap() {
  const read = { passed: 0, failed: 0, skips: [], failures: [], planned: false, bailout: undefined }
  let expired = false
  const watch = (parser, path) => {
    // A subtest's own line repeats its content, except for a property, a time-out or a broken plan.
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
    // The parser makes up a plan if there is none.
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
