import t from 'tap'
import { cleaned, edited, experimentOf, refusal, written } from '../../test/support/trial.js'

type AnEdit = { find: string; replace: string; variant?: string }
const b = (find: string, replace: string): AnEdit => ({ find, replace, variant: 'b' })
const CALL = "variant('hero', { control: 50, b: 50 }) === 'b'"

function codeOf(path: string, text: string, ...edits: AnEdit[]): string {
  const result = written(path, text, edits)
  t.equal(cleaned(path, result.text, result.regions, null), text, `taken back: ${text}`)
  t.equal(cleaned(path, result.text, result.regions, 'b'), edited(text, edits, 'b'), `shipped: ${text}`)
  return result.text
}

/** The code of a module without the import of the helper. */
const bodyOf = (path: string, text: string, ...edits: AnEdit[]): string =>
  codeOf(path, text, ...edits).replace(
    /^import \{ variant \} from '\.\/svc-experiments\.js';?\r?\n\r?\n/m,
    '',
  )

t.test('an expression becomes a choice in its place', async (t) => {
  t.equal(
    bodyOf('src/a.ts', "export const a = 'x1'\n", b("'x1'", "'y'")),
    `export const a = ${CALL} ? 'y' : 'x1'\n`,
  )
  t.equal(bodyOf('src/a.ts', "f('x1' + z)\n", b("'x1'", 'g(1)')), `f((${CALL} ? g(1) : 'x1') + z)\n`)
  t.equal(
    bodyOf('src/a.ts', "const a = 'x1'.length\n", b("'x1'", "'y'")),
    `const a = (${CALL} ? 'y' : 'x1').length\n`,
  )
  t.equal(
    bodyOf('src/a.ts', `const s = \`a \${n1} b\`\n`, b('n1', 'm')),
    `const s = \`a \${${CALL} ? m : n1} b\`\n`,
  )
  t.equal(
    bodyOf('src/a.ts', "const o = { k: ['v1' as const] }\n", b("'v1' as const", "'v2' as const")),
    `const o = { k: [${CALL} ? 'v2' as const : 'v1' as const] }\n`,
  )
  t.equal(
    bodyOf('src/a.js', "if (on) track('a1')\nelse stop()\n", b("track('a1')", "track('a2')")),
    `if (on) if (${CALL}) track('a2'); else track('a1')\nelse stop()\n`,
  )
  t.match(
    bodyOf('src/a.ts', "const a = on ? 'x1' : 'x2'\n", b("'x1'", "'y'")),
    `on ? (${CALL} ? 'y' : 'x1') : 'x2'`,
  )
  t.match(
    bodyOf('src/a.ts', 'const f = () => ({ a: 1 })\n', b('{ a: 1 }', '{ a: 2 }')),
    `({ a: 2 } : { a: 1 })`.slice(1),
  )
})

t.test('a string can be found together with its name', async (t) => {
  const part = "// label = 'Send'\nexport const a = ({ label = 'Send', size = 1 }) => label + size\n"
  const chosen = part.replace("'Send',", `${CALL} ? 'Go' : 'Send',`)
  t.equal(bodyOf('src/a.ts', part, b("label = 'Send',", "label = 'Go',")), chosen)
  const held = "const f = () => ({ title: 'Send', other: 'Send' })\n"
  t.equal(
    bodyOf('src/a.ts', held, b("title: 'Send',", "title: 'Go',")),
    held.replace("'Send'", `${CALL} ? 'Go' : 'Send'`),
  )
  t.match(refusal('src/a.ts', part, [b("label = 'Send',", "text = 'Go',")]), 'no whole expression')
  t.match(refusal('src/a.ts', part, [b("label = 'Send',", 'label = go,')]), 'no whole expression')
})

t.test('a written choice is parsed again, and its arms must equal the alternatives', async (t) => {
  const own = (value: string): string => `export const A = () => <p title=${value}>x</p>\n`
  // A comment between the arms could hide the code after it.
  t.match(refusal('src/a.tsx', own('"T1"'), [b('"T1"', '{t(1) /* why */}')]), 'reaches out of its place')
  t.match(
    refusal('src/a.tsx', own('{t(1) /* why */}'), [b('{t(1) /* why */}', '"T1"')]),
    'reaches out of its place',
  )
  t.match(bodyOf('src/a.tsx', own('"T1"'), b('"T1"', '{t(1)}')), `title={${CALL} ? t(1) : 'T1'}`)
  t.match(
    refusal('src/a.ts', "import './x'\n\ntrack('a1')\n", [b("track('a1')", "track('a2') // it")]),
    'one whole expression',
  )
})

t.test('hooks are called in every variant', async (t) => {
  const app = (own: string): string =>
    `import { useState } from 'react'\n\nexport function A() {\n  const [n] = ${own}\n  return n\n}\n`
  const hook = /it calls useState, a hook/
  t.match(
    bodyOf('src/a.tsx', app('useState<T>(10)'), b('useState<T>(10)', 'useState<T>(20)')),
    `useState<T>(${CALL} ? 20 : 10)`,
    'the same call with another argument: that alone is chosen',
  )
  t.match(
    bodyOf('src/a.tsx', app('useState(10)'), b('const [n] = useState(10)', 'const [n] = useState(20)')),
    `const [n] = useState(${CALL} ? 20 : 10)`,
    'with the variable that it makes',
  )
  t.notMatch(
    refusal('src/a.tsx', app('useState(10)'), [b('const [n] = useState(10)', 'const [m] = useState(20)')]),
    /^$/,
  )
  t.match(refusal('src/a.tsx', app('useState(10)'), [b('useState(10)', 'useMemo(20)')]), 'it calls use')
  t.match(refusal('src/a.tsx', app('useState(10)'), [b('useState(10)', 'useState(10, 20)')]), hook)
  t.match(refusal('src/a.tsx', app('useState(10, 1)'), [b('useState(10, 1)', 'useState(20, 2)')]), hook)
  t.match(refusal('src/a.ts', app('React.useState(10)'), [b('React.useState(10)', '[20]')]), hook)
  t.match(refusal('src/a.js', app('[10]'), [b('[10]', 'useState(20) as any')]), /cannot be read|hook/)
  t.match(refusal('src/a.ts', app('[10]'), [b('[10]', 'f(useState(20))')]), hook)
  t.match(bodyOf('src/a.tsx', app('useState(10)'), b('10', '20')), `useState(${CALL} ? 20 : 10)`)
  t.match(
    bodyOf('src/a.tsx', app('[() => useState(10)]'), b('[() => useState(10)]', '[() => useState(20)]')),
    CALL,
    'a function that calls it later is a value',
  )
  t.match(bodyOf('src/a.ts', 'export const a = useCases(1)\n', b('useCases(1)', 'useCases(2)')), CALL)
})

t.test('elements, texts and values of JSX become choices', async (t) => {
  const jsx = (inner: string): string =>
    `export const A = () => (\n  <p title="T1">\n    ${inner}\n  </p>\n)\n`
  t.match(
    bodyOf('src/a.tsx', jsx('Hello'), b('Hello', "It's \u2028 <b>on</b>")),
    `? <>It's \u2028 <b>on</b></>`,
  )
  t.match(
    bodyOf('src/a.tsx', jsx('Hello <b>w</b>'), b('Hello', 'Bye &amp; \u2028')),
    `{${CALL} ? 'Bye & \\u2028 ' : 'Hello '}<b>w</b>`,
  )
  t.match(
    bodyOf('src/a.tsx', jsx('Hello\n      there'), b('Hello\n      there', "It's")),
    `{${CALL} ? "It's" : 'Hello there'}`,
  )
  t.match(
    bodyOf('src/a.tsx', jsx('<i>a1</i>'), b('<i>a1</i>', '<u>b1</u><u>c1</u>')),
    `<><u>b1</u><u>c1</u></>`,
  )
  t.match(bodyOf('src/a.tsx', jsx('<i>a1</i>'), b('<i>a1</i>', '')), /null\s+: <i>a1<\/i>|\? null : /)
  for (const [find, replace] of [
    ['T1', 'T2'],
    ['"T1"', '"T2"'],
    ['title="T1"', 'title="T2"'],
  ])
    t.match(bodyOf('src/a.tsx', jsx('x'), b(find ?? '', replace ?? '')), `title={${CALL} ? 'T2' : 'T1'}`)
  t.match(bodyOf('src/a.tsx', jsx('x'), b('"T1"', '{t(1)}')), `title={${CALL} ? t(1) : 'T1'}`)
  const lines = jsx('<i>\n      a1\n    </i>')
  t.match(
    bodyOf('src/a.tsx', lines, b('<i>\n      a1\n    </i>', '<u>c</u>')),
    `    {${CALL} ? (\n      <u>c</u>\n    ) : (\n      <i>\n        a1\n      </i>\n    )}\n`,
  )
  t.match(
    bodyOf('src/a.tsx', jsx('<i>a1</i>'), b('<i>a1</i>', '<u>b1</u>\n    <i>a1</i>')),
    `    {${CALL} ? (\n      <>\n        <u>b1</u>\n        <i>a1</i>\n      </>\n    ) : (\n      <i>a1</i>\n    )}\n`,
  )
  const classed = '<i className="a">\n      it\'s <b id="b">\n        b1\n      </b>\n    </i>'
  t.match(
    bodyOf('src/a.tsx', jsx(classed), b(classed, '<u>c</u>')),
    `) : (\n      <i className="a">\n        it's <b id="b">\n          b1\n        </b>\n      </i>\n    )}\n`,
  )
  const spread = '<i title="one\n      two">\n      a1\n    </i>'
  t.match(bodyOf('src/a.tsx', jsx(spread), b(spread, '<u>c</u>')), `) : (\n      ${spread}\n    )}\n`)
  const mixed = `// a\r\n${jsx('<i>\n      a1\n    </i>')}`
  t.notMatch(bodyOf('src/a.tsx', mixed, b('<i>\n      a1\n    </i>', '<u>c</u>')).slice(6), '\r')
})

t.test('the import is placed after the other imports, under a free name', async (t) => {
  t.equal(
    codeOf(
      'src/a.tsx',
      '\'use client\'\n\nimport a from "a"; // c\nimport b from "b";\n\nf(\'x1\');\n',
      b("'x1'", "'y'"),
    ),
    `'use client'\n\nimport a from "a"; // c\nimport b from "b";\nimport { variant } from "./svc-experiments.js";\n\nf(variant("hero", { control: 50, b: 50 }) === "b" ? 'y' : 'x1');\n`,
  )
  t.match(
    codeOf('src/a.tsx', "// @ts-check\n\n/** doc */\nf('x1')\n", b("'x1'", "'y'")),
    /check\n\nimport .*\n\n\/\*\* doc/,
  )
  t.match(
    codeOf('src/a.mjs', "import a from'a';f('x1');g()", b("'x1'", "'y'")),
    /^import a from'a';import \{ variant \} from '.*';f\(/,
  )
  t.match(
    codeOf('src/a.ts', "const variant = 1\nf('x1')\n", b("'x1'", "'y'")),
    'import { variant as svcVariant }',
  )
  t.match(
    codeOf('src/a.ts', `${'\ufeff#!/usr/bin/env node\n'.slice(1)}f('x1')\n`, b("'x1'", "'y'")),
    /^#!.*\nimport/,
  )
  codeOf('src/a.ts', "\ufeffimport a from 'a'\r\n\r\n\tf('x1')\r\n", b("'x1'", "'y'"))
  codeOf('src/a.ts', "f('x1')", b("'x1'", "'y'"))
})

t.test('newer syntax and decorators of parameters can be parsed', async (t) => {
  for (const text of [
    "class A { @observable accessor title = 't1' }\n",
    "import defer * as late from './x'\nexport const f = () => 't1'\n",
    "import source wasm from './x.wasm'\nexport const f = () => 't1'\n",
    "export class A { constructor(@Inject(X) private x: X) {} m() { return 't1' } }\n",
    "export function f() { using file = open(); return 't1' }\n",
  ])
    t.match(codeOf('src/a.ts', text, b("'t1'", "'t2'")), /\? 't2'\s+: 't1'/)
  const meta = 'export const f = () => go(import.meta.env.A)\n'
  t.match(codeOf('src/a.ts', meta, b('import.meta.env.A', 'import.meta.env.B')), '? import.meta.env.B')
})

t.test('two experiments share the import', async (t) => {
  const text = "import a from 'a'\nf('x1', 'x2')\n"
  const other = experimentOf('other', ['b', 'c'])
  const first = written('src/a.ts', text, [b("'x1'", "'y1'")])
  const second = written(
    'src/a.ts',
    first.text,
    [b("'x2'", "'y2'"), { find: "'x2'", replace: "'z2'", variant: 'c' }],
    other,
  )
  t.equal(second.text.split('import {').length, 2)
  t.match(refusal('src/a.ts', first.text, [b("'x1'", "'q'")], other), 'part of the experiment hero')
  t.match(refusal('src/a.ts', first.text, [b("'x2'", "'q'")]), 'already')
  const out = cleaned('src/a.ts', second.text, first.regions, 'b')
  t.match(out, 'svc-experiments')
  t.equal(cleaned('src/a.ts', out, second.regions, 'c', other), "import a from 'a'\nf('y1', 'z2')\n")
})

t.test('edits of non-values and edits that reach out of their place are refused', async (t) => {
  const refused = (text: string, find: string, replace = "'y'", path = 'src/a.tsx'): string =>
    refusal(path, text, [b(find, replace)])
  t.match(refused("import a from './m1'\n", "'./m1'"), 'names a module')
  t.match(refused("const a = await import('./m1')\n", "'./m1'"), 'names a module')
  t.match(refused("const a = { 'k1': 1 }\n", "'k1'"), 'name of a property')
  t.match(refused("let a: 'x1'\n", "'x1'"), 'type')
  t.match(refused("'use client'\nexport {}\n", "'use client'"), 'directive')
  t.match(refused("const a = 'x1' as const\n", "'x1'"), "'x1' as const")
  t.match(refused(`const a = \`one \${b} two\`\n`, 'one'), 'template string')
  t.match(refused("const a = 'one two'\n", 'one'), "'one two'")
  t.match(refused('a.b1.c()\n', 'a.b1.c'), 'take the whole call')
  t.match(refused('x = a?.b1.c\n', 'a?.b1'), 'whole chain')
  t.match(refused('const { a1 } = o\n', 'a1'), 'name of a property')
  t.match(refused("f('x1')\n", "'x1'", "'y', 'z'"), 'several expressions')
  t.match(refused("f('x1')\n", "'x1'", "'y'); evil('z'"), 'cannot be read')
  t.match(refused("f('x1')\n", "'x1'", "'y' // c"), /reaches out|cannot be read/)
  t.match(refused("const a = 1 + 'x1'\n", "'x1'", "'y' || z"), 'needs parentheses')
  t.match(refused('const a = <p>x1</p>\n', 'x1', '</p><p>'), 'cannot be read')
  t.match(refused('const a = <p>x1</p>\n', 'x1', '{evil()}'), '? evil() : ')
  t.match(refused('const a = <p>x1</p>\n', 'x1', '{evil() /* x */}'), '<>{evil() /* x */}</>')
  t.match(refused('const a = <p title="x1" />\n', 'x1', 'a" b="c'), 'nothing else')
  t.match(refused("const a = '\n", 'a', 'b'), 'cannot be read')
  t.match(refused("module.exports = 'x1'\n", "'x1'", "'y'", 'src/a.js'), 'CommonJS')
  t.match(refused("f('x1')\n", "'x1'", "'y'", 'public/a.js'), 'classic script')
  t.match(refused(`f('x1', ${'['.repeat(100_000)}${']'.repeat(100_000)})\n`, "'x1'"), 'nested too deeply')
  const numbers = experimentOf('n', ['10'])
  t.match(
    refusal('src/a.ts', "f('x1')\n", [{ find: "'x1'", replace: "'y'", variant: '10' }], numbers),
    'is a number',
  )
})

t.test('code between tags is found with its braces, and has elements, texts or code instead', async (t) => {
  const page = (own: string): string => `export const A = ({ on, n }) => <p>\n  {n}{${own}}\n</p>\n`
  const find = '{on && <b>x1</b>}'
  const choice = (replace: string, own = 'on && <b>x1</b>'): string =>
    bodyOf('src/a.tsx', page(own), b(`{${own}}`, replace)).replace(/\s+/g, ' ')
  t.match(choice('{(on || n) && <b>x2</b>}'), `{${CALL} ? (on || n) && <b>x2</b> : on && <b>x1</b>}`)
  t.match(choice('<b>x2</b>'), `{${CALL} ? <b>x2</b> : on && <b>x1</b>}`)
  t.match(choice('Call us'), `{${CALL} ? 'Call us' : on && <b>x1</b>}`)
  t.match(choice('<i>{n} of</i> {find}'), `${CALL} ? <><i>{n} of</i> {find}</> : on && <b>x1</b>}`)
  t.match(choice("{on ? 'a' : 'b'}", "on ? 'c' : 'd'"), `{${CALL} ? (on ? 'a' : 'b') : (on ? 'c' : 'd')}`)
  t.match(refusal('src/a.tsx', page('/* why */'), [b('{/* why */}', '<b>x</b>')]), 'no whole expression')
  t.match(refusal('src/a.tsx', page('on && <b>x1</b>'), [b(find, '{on</p>')]), 'cannot be read')
})
