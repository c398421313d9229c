import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { bucketingDocument } from '../../../api/pages/reference/bucketing.js'
import { bucketOf, variantIndexOf } from '../../../domain/bucketing.js'
import { packageRoot } from '../../../runtime/package-root.js'
import { COMPONENT_FILE, COMPONENT_TYPES_FILE } from '../../helper-name.js'
import { componentSource, componentTypes } from '../component.js'
import { HELPER_FILE, HELPER_TYPES_FILE, helperSource, helperTypes, statePathIn } from '../source.js'

const SETTINGS = { exposures: '/_svc/exposures' }

interface HelperModule {
  variant(key: string, splits: object, visitor?: string | null): string
  visitorFrom(read: () => string | null | undefined): void
  stateFrom(read: () => { readonly experiments: Readonly<Record<string, unknown>> } | null | undefined): void
  assign(key: string, arms: readonly (readonly [string, number])[], visitor: string): string | undefined
}

/** The module form on a server, with its bucketing. */
async function load(): Promise<HelperModule> {
  const text = `${helperSource('module', SETTINGS)}\nexport { assign }\n// ${Math.random()}`
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as HelperModule
}

t.test('the helper assigns as the published vectors do', async (t) => {
  const { assign, variant, stateFrom } = await load()
  const { vectors } = bucketingDocument()
  t.ok(vectors.length >= 50)
  for (const { experimentKey, unitId, splits, variantIndex } of vectors) {
    const arms = splits.map((split, i) => [String(i), split] as const)
    t.equal(
      assign(experimentKey, arms, unitId),
      String(variantIndex),
      JSON.stringify([experimentKey, unitId]),
    )
    stateFrom(() => ({ experiments: { [experimentKey]: true } }))
    if (unitId !== '') t.equal(variant(experimentKey, arms, unitId), String(variantIndex))
  }
})

t.test('the helper assigns any id as svc does', async () => {
  const { assign } = await load()
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.integer({ max: 0xffff }).map((u) => String.fromCharCode(u)) }),
  )
  fc.assert(
    fc.property(anyText, anyText, fc.integer({ min: 0, max: 100 }), (key, visitor, split) => {
      const splits = [split, 100 - split]
      const expected = variantIndexOf(bucketOf(key, visitor), splits)
      return (
        assign(
          key,
          [
            ['0', split],
            ['1', 100 - split],
          ],
          visitor,
        ) === String(expected)
      )
    }),
    { numRuns: 500 },
  )
})

t.test('on a server the helper returns the variant of the visitor, or the control', async (t) => {
  const { variant, visitorFrom, stateFrom } = await load()
  const splits = { control: 50, b: 50 }
  const ids = { control: '', b: '' }
  for (let i = 0; ids.control === '' || ids.b === ''; i++) {
    const arm = variantIndexOf(bucketOf('hero', `v${i}`), [50, 50]) === 0 ? 'control' : 'b'
    ids[arm] = `v${i}`
  }
  t.equal(variant('hero', splits, ids.b), 'control', 'a server without state')
  stateFrom(() => ({ experiments: { hero: true } }))
  t.equal(variant('hero', splits), 'control')
  t.equal(variant('hero', splits, null), 'control')
  t.equal(variant('hero', splits, ids.b), 'b')
  t.equal(variant('hero', splits, ids.control), 'control')
  let current: string | null | undefined = ids.b
  visitorFrom(() => current)
  t.equal(variant('hero', splits), 'b')
  current = null
  t.equal(variant('hero', splits), 'control')
  visitorFrom(() => {
    throw new Error('no request here')
  })
  t.equal(variant('hero', splits), 'control')
  t.equal(variant('hero', { control: 0, b: 0 }, ids.b), 'control', 'splits that add up to nothing')
})

t.test('the state decides before the visitor is asked for', async (t) => {
  const { variant, visitorFrom, stateFrom } = await load()
  const splits = { control: 0, b: 50, c: 50 }
  visitorFrom(() => {
    throw new Error('the helper must not ask')
  })
  stateFrom(() => ({ experiments: { hero: 'c' } }))
  t.equal(variant('hero', splits), 'c', 'a winner is shown to everybody')
  t.equal(variant('other', splits), 'control')
  t.equal(variant('constructor', splits, 'v'), 'control')
  for (const served of ['gone', false, 1, null, {}, undefined]) {
    stateFrom(() => ({ experiments: { hero: served } }))
    t.equal(variant('hero', splits, 'v'), 'control', String(served))
  }
  for (const state of [null, undefined]) {
    stateFrom(() => state)
    t.equal(variant('hero', splits, 'v'), 'control', String(state))
  }
})

t.test('keys that are numbers keep their order in pairs', async (t) => {
  const { variant, stateFrom } = await load()
  stateFrom(() => ({ experiments: { hero: true } }))
  t.equal(
    variant(
      'hero',
      [
        ['control', 100],
        ['2', 0],
      ],
      'v',
    ),
    'control',
  )
  t.equal(
    variant('hero', [
      ['control', 100],
      ['2', 0],
    ]),
    'control',
  )
})

t.test('the helper is small and readable, and its path is escaped', async (t) => {
  for (const form of ['module', 'script'] as const) {
    const text = helperSource(form, SETTINGS)
    t.ok(gzipSync(text).length <= 3_600, `${form}: ${gzipSync(text).length} bytes gzipped`)
    t.equal(text, helperSource(form, SETTINGS))
    t.notMatch(text, /[^\n]{160}/, 'no long lines')
    t.match(text, "'/_svc/exposures'")
    const hostile = '/a\'b"</script>\u2028\\'
    const written = helperSource(form, { exposures: hostile })
    t.notOk(written.includes('</script'))
    const literal = /const EXPOSURES = (.*)/.exec(written)?.[1] ?? ''
    t.equal(new Function(`return ${literal}`)(), hostile)
    t.equal(statePathIn(written), hostile.replace(/[^/]*$/, 'state.js'))
  }
})

t.test('TypeScript checks uses of the helper, by its JSDoc and its declaration', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-helper-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const use = `import { SvcVariant } from './${COMPONENT_FILE}'
import { stateFrom, variant, visitorFrom } from './${HELPER_FILE}'
const arm: 'control' | 'b' = variant('hero', { control: 50, b: 50 })
const text: 'Welcome' | 'Try it' = variant('hero', { control: 50, b: 50 }) === 'b' ? 'Try it' : 'Welcome'
const numbered: 'control' | '2' = variant('hero', [['control', 50], ['2', 50]])
// @ts-expect-error no such variant
export const wrong = variant('hero', { control: 50, b: 50 }) === 'c'
visitorFrom(() => null)
stateFrom(() => ({ version: 1, experiments: { hero: true, price: 'b' } }))
stateFrom(() => null)
SvcVariant({ experiment: 'hero', splits: { control: 50, b: 50 }, arms: { b: null }, children: 'Welcome' })
// @ts-expect-error no arms
SvcVariant({ experiment: 'hero', splits: { control: 50, b: 50 } })
export { arm, numbered, text }
`
  const inputs = (name: string, files: Record<string, string>): string[] => {
    mkdirSync(join(folder, name))
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text)
    return Object.keys(files)
      .filter((file) => !file.endsWith('.d.ts'))
      .map((file) => join(name, file))
  }
  const helper = helperSource('module', SETTINGS)
  const files = [
    ...inputs('jsdoc', {
      ...{ [HELPER_FILE]: helper, [COMPONENT_FILE]: componentSource(), 'use.ts': use },
      'page.js': helperSource('script', SETTINGS),
    }),
    ...inputs('declaration', {
      ...{ [HELPER_TYPES_FILE]: helperTypes(), [COMPONENT_TYPES_FILE]: componentTypes(), 'use.ts': use },
      'react.d.ts':
        "declare module 'react' {\n  type ReactElement = object\n  type ReactNode = object | string | null | undefined\n}\n",
    }),
    join('declaration', 'react.d.ts'),
  ]
  const strict = [
    '--strict',
    '--noUncheckedIndexedAccess',
    '--exactOptionalPropertyTypes',
    '--noUnusedLocals',
  ]
  const place = ['--noEmit', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler']
  const { status, stdout } = spawnSync(
    join(packageRoot(), 'node_modules/.bin/tsc'),
    [
      ...strict,
      ...place,
      '--skipLibCheck',
      '--lib',
      'es2022,dom,dom.iterable',
      '--allowJs',
      '--checkJs',
      ...files,
    ],
    { cwd: folder, encoding: 'utf8' },
  )
  t.equal(status, 0, stdout)
})
