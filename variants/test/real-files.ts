import fc from 'fast-check'
import t from 'tap'
import { dialectOf } from '../dialects.js'
import type { Edit, SplitExperiment } from '../port.js'
import { writeVariants } from '../write.js'
import { filesOf, findsIn, otherFor, PACKAGES, type RealFile } from './support/real-files.js'
import { cleaned, edited, experimentOf, helperFor } from './support/trial.js'

/** Files of each package in a run. The environment can set more, and the seed. */
const FILES = Number(process.env.SVC_TEST_FILES ?? 2)
const SEED = Number(process.env.SVC_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))

const LINE_ENDS: readonly { name: string; apply: (text: string) => string }[] = [
  { name: 'as published', apply: (text) => text },
  { name: 'CRLF', apply: (text) => text.replace(/\r?\n/g, '\r\n') },
  {
    name: 'mixed',
    apply: (text) => text.replace(/\r?\n/g, (_, at: number) => (at % 3 === 0 ? '\r\n' : '\n')),
  },
  {
    name: 'mark and tabs',
    apply: (text) => `\ufeff${text.replace(/^(?: {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2))}`,
  },
]

/** The written file, or the problems: finds are made without a parser, so not all are units. */
function attempt(
  path: string,
  text: string,
  edits: readonly Edit[],
  experiment: SplitExperiment,
): ReturnType<typeof writeVariants> {
  return writeVariants({ path, text, edits, experiment, helper: helperFor(path) })
}

/** Two units, starting at a random place. Tries only a few finds. */
function unitsOf(path: string, text: string, pick: number): string[] {
  const finds = findsIn({ path, text })
  const units: string[] = []
  for (let i = 0; i < Math.min(finds.length, 8) && units.length < 2; i++) {
    const find = finds[(pick + i * 3) % finds.length]
    if (find === undefined || units.includes(find)) continue
    if (attempt(path, text, [{ find, replace: otherFor(find, '1'), variant: 'b' }], one).ok) units.push(find)
  }
  return units
}

const one = experimentOf('first', ['b', 'c'])
const two = experimentOf('second-idea', ['b'])

for (const { name, folder, ending } of PACKAGES) {
  t.test(name, async (t) => {
    const files = await filesOf(name, folder, ending)
    if ('unreachable' in files) {
      t.comment(`optional: ${name} cannot be fetched: ${files.unreachable}`)
      return
    }
    const candidates = files
      // Every second one with JSX is a Server Component, if it can be one.
      .map(
        (file, index): RealFile => ({ path: `${index % 2 ? 'app' : 'src'}/${file.path}`, text: file.text }),
      )
      .filter((file) => findsIn(file).length > 0 && file.text.length < 60_000)
    const [sample = []] = fc.sample(
      fc.uniqueArray(
        fc.record({
          file: fc.constantFrom(...candidates),
          ends: fc.nat(LINE_ENDS.length - 1),
          pick: fc.nat(),
        }),
        {
          selector: ({ file }) => file.path,
          minLength: Math.min(FILES * 5, candidates.length),
          maxLength: FILES * 5,
        },
      ),
      { seed: SEED, numRuns: 1 },
    )
    // If the drawn files have no two units, try the others.
    const others = candidates.map((file) => ({ file, ends: 0, pick: 0 }))
    let edits = 0
    for (const { file, ends, pick } of [...sample, ...others]) {
      if (edits === FILES) break
      const how = LINE_ENDS[ends] ?? { name: '', apply: (text: string) => text }
      const text = how.apply(file.text)
      const label = `${file.path}, ${how.name}, seed ${SEED}`
      const [first, second] = unitsOf(file.path, text, pick)
      if (first === undefined || second === undefined) continue
      edits += 1
      const firstEdits: Edit[] = [
        { find: first, replace: otherFor(first, 'für b'), variant: 'b' },
        { find: first, replace: otherFor(first, 'für c'), variant: 'c' },
      ]
      const written = attempt(file.path, text, firstEdits, one)
      if (!written.ok) {
        t.fail(`${label}: two variants at a place that takes one: ${written.problems[0]?.message}`)
        continue
      }
      t.doesNotThrow(
        () => dialectOf(file.path)?.check(written.text, file.path),
        `${label}: is read as a whole`,
      )
      t.equal(cleaned(file.path, written.text, written.regions, null, one), text, `${label}: taken back`)
      for (const key of ['b', 'c'])
        t.equal(
          cleaned(file.path, written.text, written.regions, key, one),
          edited(text, firstEdits, key),
          `${label}: ${key} shipped`,
        )
      const secondEdits: Edit[] = [{ find: second, replace: otherFor(second, 'zwei'), variant: 'b' }]
      const both = first === second ? null : attempt(file.path, written.text, secondEdits, two)
      if (both?.ok !== true) continue
      const winner = edited(edited(text, firstEdits, 'c'), secondEdits, 'b')
      const firstOut = cleaned(file.path, both.text, written.regions, 'c', one)
      t.equal(
        cleaned(file.path, firstOut, both.regions, 'b', two),
        winner,
        `${label}: first, then second shipped`,
      )
      const secondOut = cleaned(file.path, both.text, both.regions, 'b', two)
      t.equal(
        cleaned(file.path, secondOut, written.regions, 'c', one),
        winner,
        `${label}: second, then first shipped`,
      )
      const back = cleaned(file.path, both.text, written.regions, null, one)
      t.equal(cleaned(file.path, back, both.regions, null, two), text, `${label}: both taken back`)
    }
    t.comment(`${name}: ${edits} files, seed ${SEED}`)
    t.ok(edits > 0, 'something could be written')
  })
}
