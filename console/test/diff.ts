import { createTwoFilesPatch } from 'diff'
import fc from 'fast-check'
import t from 'tap'
import { countChanges, parseDiff, sideBySide } from '../pages/experiments/plan/diff.js'

const lines = fc.array(fc.constantFrom('a', '', '-', '+ b', '@@', '\\ c', '--- d', '+++ e'), {
  maxLength: 12,
})

t.test('a diff is read back into the lines of both files, also side by side', async (t) => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const [one, other] = [before, after].map((all) => all.map((line) => `${line}\n`).join(''))
      if (one === undefined || other === undefined || one === other) return
      // Enough lines around each change for the whole files to be in it.
      const read = parseDiff(createTwoFilesPatch('a', 'b', one, other, '', '', { context: 50 }))
      const shown = read.filter(({ kind }) => kind !== 'gap')
      t.same(
        shown.filter(({ before: at }) => at !== null).map(({ text }) => text),
        before,
      )
      t.same(
        shown.filter(({ after: at }) => at !== null).map(({ text }) => text),
        after,
      )
      const pairs = sideBySide(read).filter(({ left }) => left?.kind !== 'gap')
      t.same(
        pairs.flatMap(({ left }) => (left === null ? [] : [left.text])),
        before,
      )
      t.same(
        pairs.flatMap(({ right }) => (right === null ? [] : [right.text])),
        after,
      )
      t.equal(countChanges(read).fresh - countChanges(read).gone, after.length - before.length)
    }),
    { numRuns: 200 },
  )
})
