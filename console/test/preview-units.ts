import t from 'tap'
import { type PreviewUnit, previewUnits } from '../pages/experiments/preview/preview-units.js'

const region = (before: string, variants: Record<string, string>, plain = before) => ({
  before,
  written: 'as the diff shows',
  variants,
  plain,
  around: ['', ''],
})

function unitsOf(files: Record<string, ReturnType<typeof region>[]>, key = 'lamps'): PreviewUnit[] {
  const manifest = {
    form: 1,
    experiment: 'lamps',
    files: Object.fromEntries(
      Object.entries(files).map(([path, regions]) => [path, { action: 'modify', regions }]),
    ),
  }
  const lines = JSON.stringify(manifest, null, 2).split('\n')
  return previewUnits(
    {
      commit: null,
      files: [
        {
          path: '.svc/experiments/lamps.json',
          action: 'create',
          summary: '',
          state: null,
          movedTo: null,
          diff: `--- /dev/null\n+++ b/x\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join('\n')}\n`,
        },
      ],
    },
    key,
  )
}

t.test('markup of pages and plain markup of components are rendered, expressions are not', async (t) => {
  const kinds = (path: string, before: string, after: string): string[] =>
    unitsOf({ [path]: [region(before, { b: after })] }).flatMap(({ before: now, variants }) => [
      now.kind,
      variants.b?.kind ?? '',
    ])
  t.same(kinds('index.html', '<h1>Hello {name}</h1>', 'Hello'), ['markup', 'text'])
  t.same(kinds('app/a.tsx', '<b className="x">Go</b>', '<Button>Go</Button>'), ['markup', 'code'])
  t.same(kinds('a.vue', '<b>Go</b>', '<b :class="x">Go</b>'), ['markup', 'code'])
  t.same(kinds('a.svelte', 'Go', '{#if a}Go{/if}'), ['text', 'code'])
  t.same(kinds('a.ts', "'It\\'s here'", '`Hello $' + '{name}`'), ['text', 'code'])
  t.same(kinds('a.html', '<h1>Go</h1>', ' '), ['markup', 'nothing'])
  const [unit] = unitsOf({ 'a.ts': [region("'It\\'s here'", {})], 'b.jsx': [] })
  t.same(unit?.before, { kind: 'text', content: "It's here" })
  const [jsx] = unitsOf({ 'a.jsx': [region('<label className="x" htmlFor="y">Go</label>', {})] })
  t.same(jsx?.before, { kind: 'markup', content: '<label class="x" for="y">Go</label>' })
})

t.test('a change for everybody is told apart', async (t) => {
  const [plain, own] = unitsOf({
    'a.html': [region('<p>old</p>', {}, '<p>new</p>'), region('<p>old</p>', { b: '<p>b</p>' })],
  })
  t.same(plain?.everybody, { kind: 'markup', content: '<p>new</p>' })
  t.equal(own?.everybody, undefined)
})

t.test('without a manifest that can be read there is no preview', async (t) => {
  t.same(previewUnits(undefined, 'lamps'), [])
  t.same(unitsOf({ 'a.html': [region('a', {})] }, 'other'), [])
  const file = { action: 'create', summary: '', state: null, movedTo: null } as const
  const path = '.svc/experiments/lamps.json'
  for (const diff of [null, '@@ -0,0 +1 @@\n+{ "files": {'])
    t.same(previewUnits({ commit: null, files: [{ ...file, path, diff }] }, 'lamps'), [])
})
