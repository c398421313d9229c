import { gzipSync } from 'node:zlib'
import { cleanUp } from '../../../variants/clean-up.js'
import { helperSource } from '../../../variants/helper/source.js'
import type { SplitExperiment } from '../../../variants/port.js'
import { writeVariants } from '../../../variants/write.js'
import { type Source, sourcesOf } from '../../support/data/sources.js'
import { type Figure, percentile } from '../../support/figures.js'

const LINES = 5_000
const DECISIONS = 20_000
const EXPERIMENT: SplitExperiment = {
  key: 'hero',
  variants: [
    { key: 'control', trafficSplit: 50, isControl: true },
    { key: 'b', trafficSplit: 50, isControl: false },
  ],
}
const SETTINGS = { exposures: '/_svc/exposures' }

/**
 * Writing an experiment into long files and taking it out again, as CPU time of warm code; size and decision
 * time of the helper.
 */
export async function variantsCase(rounds: number): Promise<Figure[]> {
  const files = sourcesOf(LINES).flatMap((source) => figuresOf(source, rounds))
  return [...files, ...sizes(), ...(await decisions())]
}

function figuresOf(source: Source, rounds: number): Figure[] {
  const { path, edits } = source
  const helper = path.endsWith('.html')
    ? { scriptSrc: '/svc-experiments.js', stateSrc: '/_svc/state.js' }
    : { importPath: './svc-experiments.js' }
  const written: number[] = []
  const cleaned: number[] = []
  for (let round = 0; round < rounds * 2; round++) {
    // A different text each time, because Vue's compiler caches.
    const text = source.text.replace('number 0', `number 0 in round ${round}`)
    const start = cpuMs()
    const made = writeVariants({ path, text, experiment: EXPERIMENT, edits, helper })
    const between = cpuMs()
    if (!made.ok) throw new Error(`${path}: ${made.problems[0]?.message}`)
    const file = { action: 'modify', regions: made.regions } as const
    const back = cleanUp({ path, text: made.text, file, experiment: EXPERIMENT.key, shipped: null })
    const end = cpuMs()
    if (back.text !== text) throw new Error(`${path}: not what it was`)
    // The first half warms up.
    if (round < rounds) continue
    written.push(between - start)
    cleaned.push(end - between)
  }
  const name = path.slice(path.lastIndexOf('.') + 1)
  return [
    { name: `${name}, ${LINES} lines, written`, value: percentile(written, 0.5), unit: 'CPU ms' },
    { name: `${name}, cleaned up`, value: percentile(cleaned, 0.5), unit: 'CPU ms' },
  ]
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function sizes(): Figure[] {
  return (['script', 'module'] as const).map((form) => ({
    name: `helper as a ${form}, gzipped`,
    value: gzipSync(helperSource(form, SETTINGS)).length,
    unit: 'bytes',
  }))
}

interface Helper {
  variant(key: string, splits: Readonly<Record<string, number>>, visitor: string): string
  stateFrom(read: () => { readonly experiments: Readonly<Record<string, true>> }): void
}

/** The helper's decision without a page, for new visitors. */
async function decisions(): Promise<Figure[]> {
  const source = Buffer.from(helperSource('module', SETTINGS)).toString('base64')
  const { variant, stateFrom } = (await import(`data:text/javascript;base64,${source}`)) as Helper
  const state = { experiments: { hero: true } } as const
  stateFrom(() => state)
  const started = performance.now()
  variant('hero', { control: 50, b: 50 }, 'a-first-visitor')
  const first = performance.now() - started
  const start = cpuMs()
  for (let visitor = 0; visitor < DECISIONS; visitor++)
    variant('hero', { control: 50, b: 50 }, `0123456789abcdef0123456789-${visitor}`)
  return [
    { name: 'first decision of the helper', value: first * 1_000, unit: 'µs' },
    { name: 'decisions after that', value: ((cpuMs() - start) / DECISIONS) * 1_000, unit: 'CPU µs' },
  ]
}
