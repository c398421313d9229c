import fc from 'fast-check'
import t from 'tap'
import type { Edit, HelperReference, SplitExperiment } from '../../port.js'
import { otherFor } from '../../test/support/real-files.js'
import { cleaned, edited, experimentOf, hero } from '../../test/support/trial.js'
import { writeVariants } from '../../write.js'

const HELPER: HelperReference = {
  importPath: '../svc-experiments.js',
  rendersOnServer: true,
  hasServerComponents: true,
}
const b = (find: string, replace: string): Edit => ({ find, replace, variant: 'b' })
const IMPORT = "import { SvcVariant } from '../svc-experiments-component.js'\n"
const PAGE = 'app/page.tsx'

function attempt(text: string, edits: readonly Edit[], experiment: SplitExperiment = hero, path = PAGE) {
  return writeVariants({ path, text, experiment, edits, helper: HELPER })
}

/** The written text without the import. Checks that the cleanup leaves what edits by hand leave. */
function written(text: string, edits: readonly Edit[], path = PAGE, experiment = hero): string {
  const result = attempt(text, edits, experiment, path)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  for (const shipped of [null, 'b'])
    t.equal(
      cleaned(path, result.text, result.regions, shipped, experiment),
      shipped === null ? text : edited(text, edits, shipped),
      `${shipped} of ${text}`,
    )
  return result.text.replace(new RegExp(`${IMPORT}\n?`), '')
}

/** The message of a refusal, with the units that fit. */
function refusal(text: string, edits: readonly Edit[], path = PAGE): string {
  const result = attempt(text, edits, hero, path)
  return result.ok
    ? `written: ${result.text}`
    : result.problems.map(({ message, units }) => [message, ...(units ?? [])].join(' | ')).join('\n')
}

const component = (jsx: string): string =>
  `export default function Page() {\n  return (\n    ${jsx}\n  )\n}\n`
const chosen = (arm: string, control: string): string =>
  `<SvcVariant experiment="hero" splits={{ control: 50, b: 50 }} arms={{ b: ${arm} }}>${control}</SvcVariant>`
/** Without white space, because layout is not what most of these tests are about. */
const flat = (text: string): string => text.replace(/\s/g, '')

t.test('an element or a text is chosen by a client component', async (t) => {
  t.equal(
    written(component('<main>\n      <h1>Welcome</h1>\n    </main>'), [b('<h1>Welcome</h1>', '<h2>Hi</h2>')]),
    component(`<main>
      <SvcVariant
        experiment="hero"
        splits={{ control: 50, b: 50 }}
        arms={{ b: <h2>Hi</h2> }}
      >
        <h1>Welcome</h1>
      </SvcVariant>
    </main>`),
  )
  t.equal(
    written('export const A = () => <p>a <b>x1</b></p>\n', [b('x1', 'y')], 'app/a.tsx'),
    `export const A = () => <p>a <b><SvcVariant\n  experiment="hero"\n  splits={{ control: 50, b: 50 }}\n  arms={{ b: 'y' }}\n>x1</SvcVariant></b></p>\n`,
  )
  const section = '<section>\n      <h1>Welcome</h1>\n    </section>'
  const several = written(
    component(section),
    [b(section, section.replace('Welcome', 'Hi')), { find: section, replace: 'null', variant: 'c' }],
    PAGE,
    experimentOf('hero', ['b', 'c']),
  )
  t.match(
    several,
    'b: (\n          <section>\n            <h1>Hi</h1>\n          </section>\n        ),\n        c: null,\n      }}\n    >\n      <section>',
  )
  for (const [jsx, find, replace, expected] of [
    ['<p>Hello {name}, bye</p>', 'Hello', 'Hi', `<p>${chosen("'Hi '", 'Hello ')}{name}, bye</p>`],
    ['<p>{hello}</p>', '{hello}', '{hi}', `<p>${chosen('hi', '{hello}')}</p>`],
    [
      '<p>{on && <b>x1</b>}</p>',
      '<b>x1</b>',
      '<i>y</i>',
      `<p>{on && ${chosen('<i>y</i>', '<b>x1</b>')}}</p>`,
    ],
    [
      '<ul>{all.map((a) => <li key={a}><b>x1</b></li>)}</ul>',
      'x1',
      'y',
      `<li key={a}><b>${chosen("'y'", 'x1')}</b></li>`,
    ],
  ] as const)
    t.match(flat(written(component(jsx), [b(find, replace)])), flat(expected), jsx)
})

t.test('anything else in the JSX widens to the element around it', async (t) => {
  const list = '{all.map((a) => <li key={a} className="x1">{a}</li>)}'
  for (const [jsx, find, replace, wide] of [
    ['<main><p className="x1">a</p></main>', '"x1"', '"y"', '<p className="x1">a</p>'],
    ['<main><Button href="/a">x1</Button></main>', 'x1', 'y', '<Button href="/a">x1</Button>'],
    ['<main><Card title={on ? "x1" : "z"} /></main>', '"x1"', '"y"', '<Card title={on ? "x1" : "z"} />'],
    ['<main><Card icon={<b>x1</b>} /></main>', '<b>x1</b>', '<b>y</b>', '<Card icon={<b>x1</b>} />'],
    ['<select><option value="a">x1</option></select>', 'x1', 'y', '<option value="a">x1</option>'],
    [
      '<main><Button asChild><a>b</a></Button></main>',
      '<a>b</a>',
      '<a>y</a>',
      '<Button asChild><a>b</a></Button>',
    ],
    [`<ul>${list}</ul>`, '"x1"', '"y"', list],
    ['<main><Wait>{(all) => all.x1}</Wait></main>', 'all.x1', 'all.y', '<Wait>{(all) => all.x1}</Wait>'],
    ['<main className="x1">a</main>', '"x1"', '"y"', '<main className="x1">a</main>'],
  ] as const) {
    const text = component(jsx)
    const made = flat(written(text, [b(find, replace)]))
    const arm = wide.replace(find, replace)
    t.match(made, flat(chosen(arm.startsWith('{') ? arm.slice(1, -1) : arm, wide)), jsx)
  }
  const long = component(`<main className="x1"><h1>Some</h1>${'<p>words</p>'.repeat(200)}</main>`)
  t.match(refusal(long, [b('"x1"', '"y"')]), /^it is in a Server Component/)
})

t.test('code around the JSX is refused, with units that fit', async (t) => {
  const text = `export const metadata = { title: 'x1' }\nconst T = 'x2'\n${component('<h1>{T} and x4</h1>').replace('return (', "const s = 'x3'\n  return (")}`
  t.match(refusal(text, [b("'x1'", "'y'")]), /the framework reads `metadata`/)
  t.match(refusal(text, [b("'x2'", "'y'")]), /in no component.* which sees no visitor/)
  t.match(refusal(text, [b("'x3'", "'y'")]), /in a Server Component, which sees no visitor/)
  t.match(refusal(text, [b('and', 'or')]), /a part of a text.* \| and x4$/)
  t.match(refusal("'use server'\nexport const A = () => <p>x1</p>\n", [b('x1', 'y')]), /'use server'/)
  const drawn = component('<p>x1</p>').replace('return (', 'return new ImageResponse(')
  t.match(refusal(drawn, [b('x1', 'y')]), /in a Server Component/)
  t.match(refusal(component('<p>x1</p>'), [b('x1', 'y')], 'app/opengraph-image.tsx'), /server only/)
  t.match(
    refusal(component('<html><body>x1</body></html>'), [b('<body>x1</body>', '<body>y</body>')]),
    /Server/,
  )
})

t.test('files that are for clients call the helper', async (t) => {
  const page = component('<p>x1</p>')
  const calls = (text: string, path = 'parts/a.tsx'): boolean =>
    written(text, [b('x1', 'y')], path).includes("variant('hero'")
  t.notOk(calls(page))
  t.notOk(calls(page.replace('function', 'async function'), 'lib/a.tsx'))
  t.ok(calls(`'use client'\n\n${page}`))
  t.ok(calls(page.replace('return (', 'const [a] = useState(0)\n  return (')))
  t.ok(calls(page.replace('<p>', '<p onClick={go}>')))
  t.ok(calls(page, 'pages/index.tsx'))
  const unknown = writeVariants({
    path: 'parts/a.tsx',
    text: page,
    experiment: hero,
    edits: [b('x1', 'y')],
    helper: { importPath: '../svc-experiments.js', rendersOnServer: true },
  })
  t.match(unknown, { ok: true, text: /variant\('hero'/ }, 'the site has no Server Components')
})

t.test('another experiment leaves the place of the first alone, in either form', async (t) => {
  const text = component('<main><h1>x1</h1><p>x2</p></main>')
  const first = attempt(text, [b('<h1>x1</h1>', '<h1>y1</h1>')])
  if (!first.ok) throw new Error('refused')
  const second = experimentOf('second', ['b'])
  for (const find of ['x1', '<h1>y1</h1>', '<h1>x1</h1>'])
    for (const directive of ['', "'use client'\n"]) {
      const result = attempt(directive + first.text, [b(find, find.replace(/\d/, 'z'))], second)
      t.match(result, { ok: false, problems: [{ message: /part of the experiment hero/ }] }, find)
    }
  t.match(attempt(first.text, [b('x2', 'y2')]), {
    ok: false,
    problems: [{ message: /hero is in this file/ }],
  })
  t.match(attempt(first.text, [b('x2', 'y2')], second), { ok: true })
})

t.test('words that people mend in an arm stay', async (t) => {
  const text = component('<main>\n      <h1>Welcome to us</h1>\n    </main>')
  const result = attempt(text, [b('Welcome to us', 'Come along with us')])
  if (!result.ok) throw new Error('refused')
  const mended = result.text.replace('along', 'away').replace('Welcome to', 'Welcome at')
  t.equal(cleaned(PAGE, mended, result.regions, 'b'), text.replace('Welcome to us', 'Come away with us'))
  t.equal(cleaned(PAGE, mended, result.regions, null), text.replace('Welcome to', 'Welcome at'))
})

const SITE = `import Link from 'next/link'

export const metadata = { title: 'Shop' }

export default async function Page({ all }) {
  const lamps = await load(all)
  return (
    <main className="wide page">
      <h1>Lamps for <b>life</b> and home</h1>
      <p>
        Made by hand,
        in <i>Berlin</i>.
      </p>
      <Link href="/shop" className="button">All our lamps</Link>
      {lamps.length > 2 && <p title="Many">Many of them</p>}
      <ul>
        {lamps.map((lamp) => (
          <li key={lamp.id} className="item">{lamp.name} <em>in stock</em></li>
        ))}
      </ul>
      <section className="said">
        <h2>What they say</h2>
        <p>Good {'and'} bright</p>
      </section>
    </main>
  )
}
`
const FINDS = [
  'Lamps for',
  '<b>life</b>',
  'and home',
  'Made by hand,\n        in',
  '<i>Berlin</i>',
  '"/shop"',
  'All our lamps',
  '"Many"',
  'Many of them',
  '"item"',
  'in stock',
  '"said"',
  'What they say',
  '<h2>What they say</h2>',
  "'and'",
]
const ENDS = [
  (text: string) => text,
  (text: string) => text.replaceAll('\n', '\r\n'),
  (text: string) => `\ufeff${text.replace(/^(?: {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2))}`,
  (text: string) => text.replace("import Link from 'next/link'\n\n", ''),
]

t.test('two experiments are cleaned up in any order, byte for byte', async (t) => {
  let both = 0
  const one = experimentOf('one', ['b', 'c'])
  const two = experimentOf('two-b', ['b'])
  fc.assert(
    fc.property(
      fc.constantFrom(...FINDS),
      fc.constantFrom(...FINDS),
      fc.constantFrom(...ENDS),
      fc.constantFrom(null, 'b', 'c'),
      fc.constantFrom(null, 'b'),
      fc.boolean(),
      (first, second, ends, shipped, other, isReversed) => {
        const text = ends(SITE)
        const at = (find: string): string => ends(find).replace('\ufeff', '')
        const edits = ['b', 'c'].map((variant) => ({
          find: at(first),
          replace: otherFor(at(first), `für ${variant}`),
          variant,
        }))
        const made = attempt(text, edits, one)
        if (!made.ok) throw new Error(`${first}: ${made.problems[0]?.message}`)
        const more = [b(at(second), otherFor(at(second), 'zwei'))]
        const then = attempt(made.text, more, two)
        if (!then.ok) return
        both += 1
        const steps = [
          (from: string) => cleaned(PAGE, from, made.regions, shipped, one),
          (from: string) => cleaned(PAGE, from, then.regions, other, two),
        ]
        if (isReversed) steps.reverse()
        const wanted = edited(edited(text, edits, shipped ?? ''), more, other ?? '')
        t.equal(
          steps.reduce((from, step) => step(from), then.text),
          wanted,
          `${first}, ${second}`,
        )
      },
    ),
    { numRuns: 60 },
  )
  t.ok(both > 20, `${both} pairs`)
})
