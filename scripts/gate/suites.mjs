// Assigns files to tiers: all are fast except those that `test/long.json` names. It has three lists:
// - whole: files of the long tier, by name
// - rest: files of which the fast tier runs the first part and the long tier all (TEST_LONG=1)
// - seeds: names worth repeating with another seed
// Every fast file that takes its cases from `test/support/cases.ts` is also a long suite with more cases;
// `properties` means all of these.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, testFiles } from '../folders.mjs'

export const LISTS = ['whole', 'rest']
const PROPERTIES = 'properties'

const read = () => JSON.parse(readFileSync(join(ROOT, 'test/long.json'), 'utf8'))

/** Problems of the lists: missing files, names that occur twice or are undefined. */
export function faultsOf(lists, files) {
  const faults = []
  const names = LISTS.flatMap((list) => Object.keys(lists[list]))
  for (const list of LISTS)
    for (const [name, file] of Object.entries(lists[list]))
      if (!files.includes(file)) faults.push(`${list}: ${name} is ${file}, which is no test file`)
  for (const name of new Set(names))
    if (name === PROPERTIES || names.indexOf(name) !== names.lastIndexOf(name)) faults.push(`${name}: twice`)
  for (const name of lists.seeds)
    if (name !== PROPERTIES && !names.includes(name)) faults.push(`seeds: ${name} is no long suite`)
  return faults
}

/**
 * The files of the fast tier, and the suites of the long tier as name and file. Throws if a listed name is
 * missing.
 */
export function tiers() {
  const files = testFiles()
  const lists = read()
  const faults = faultsOf(lists, files)
  if (faults.length > 0) throw new Error(`test/long.json: ${faults.join('; ')}`)
  const whole = Object.values(lists.whole)
  const fast = files.filter((file) => !whole.includes(file))
  const named = LISTS.flatMap((list) => Object.entries(lists[list])).map(([name, file]) => ({
    name,
    file,
  }))
  const listed = new Set(named.map(({ file }) => file))
  const properties = fast
    .filter((file) => !listed.has(file) && takesCases(file))
    .map((file) => ({ name: `${PROPERTIES}-${shortName(file)}`, file }))
  const suites = [...named, ...properties].sort((a, b) => (a.name < b.name ? -1 : 1))
  const isSeeded = (suite) =>
    lists.seeds.includes(suite.name) || (lists.seeds.includes(PROPERTIES) && properties.includes(suite))
  return { fast, whole, suites, seeds: suites.filter(isSeeded) }
}

/** `domain/test/month.ts` is `domain-month`. */
const shortName = (file) => file.replace(/\.ts$/, '').replace('/test/', '/').replaceAll('/', '-')

const source = (file) => readFileSync(join(ROOT, file), 'utf8')
const takesCases = (file) =>
  /import \{[^}]*\bcases\b[^}]*\} from '[^']*support\/cases\.js'/.test(source(file))

/** Whether a file starts a broker. Two at a time delay each other past their time-outs. */
export const startsBroker = (file) => source(file).includes("support/kafka.js'")
