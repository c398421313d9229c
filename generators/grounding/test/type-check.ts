import t from 'tap'
import { TypeCheck } from '../type-check.js'

const CARD = `import * as React from 'react'
import type { Tone } from '@/lib/tone'

interface CardProps extends React.HTMLAttributes<HTMLDivElement> {
  title: string
  tone?: Tone
}
export function Card({ title, tone, ...rest }: CardProps) {
  return <div data-tone={tone} {...rest}>{title}</div>
}
export const Note: React.FC<{ text: string }> = ({ text }) => <p>{text}</p>
export function Badge({ label, children }: { label: string; children?: React.ReactNode }) {
  return <b title={label}>{children}</b>
}
`
const PAGE = `'use client'
import { useState } from 'react'
import Link from 'next/link'
import { Badge, Card, Note } from './card'
import { priceOf, SHOP } from '../data'

export default function Page({ id }: { id: string }) {
  const [count, setCount] = useState<number>(0)
  return (
    <main>
      <h1>{SHOP.name}</h1>
      <Card title="Tents" tone="calm" className="wide" />
      <Note text="For two" />
      <Badge label="new">{id}</Badge>
      <p>{priceOf(id, 2)}</p>
      <Link href="/all" onClick={(event) => setCount(count + event.detail)}>All</Link>
      <i>{SHOP.gone}</i>
    </main>
  )
}
`
const FILES: Readonly<Record<string, string>> = {
  'web/tsconfig.json': '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] } // of Vite',
  'web/tsconfig.app.json':
    '{ "extends": "./base", "compilerOptions": { "paths": { "@/*": ["./src/*"] }, "noUnusedLocals": true } }',
  'web/base.json': '{ "compilerOptions": { "strict": true, "jsx": "react-jsx", "types": ["vite/client"] } }',
  'web/src/lib/tone.ts': "export type Tone = 'calm' | 'loud'\n",
  'web/src/data/index.ts': `import { format } from 'a-library'
export const SHOP = { name: 'Tents for two' }
export const priceOf = (id: string, many: number): string => format(id, many)
`,
  'web/src/app/card.tsx': CARD,
  'web/src/app/page.tsx': PAGE,
}

const check = new TypeCheck(
  async (path) => FILES[path] ?? null,
  () => 0,
)

t.test('an edit that brings a type error is refused, and says what and where', async (t) => {
  const said = async (find: string, replace: string): Promise<string> => {
    t.ok(PAGE.includes(find), find)
    return String(await check.newErrorsIn(new Map([['web/src/app/page.tsx', PAGE.replace(find, replace)]])))
  }
  for (const [find, replace, message] of [
    [
      'tone="calm"',
      'tone="shrill"',
      /^web\/src\/app\/page\.tsx: .*<Card title=.*Type '"shrill"' is not assignable to type 'Tone \| undefined'/,
    ],
    ['<Card title="Tents"', '<Card', /Property 'title' is missing in type/],
    ['label="new"', 'label="new" size="lg"', /Property 'size' does not exist on type .*label: string/],
    ['label="new"', 'label={2}', /Type 'number' is not assignable to type 'string'/],
    ['priceOf(id, 2)', 'priceOf(id)', /"<p>\{priceOf\(id\)\}<\/p>": Expected 2 arguments, but got 1/],
    ['{SHOP.name}', '{SHOP.title}', /Property 'title' does not exist on type '\{ name: string; \}'/],
    ['{id}', '{id.trims()}', /Property 'trims' does not exist on type 'string'/],
  ] as const)
    t.match(await said(find, replace), message, replace)
  for (const [find, replace] of [
    ['Tents"', 'All tents" key="a"'],
    ['<i>{SHOP.gone}', '<i>{SHOP.gone}{SHOP.gone}'],
    ['className="wide"', 'className="wide" id="a" hidden'],
    ['tone="calm"', 'tone={count > 1 ? "calm" : "loud"}'],
    ['text="For two"', 'text="For two" more={1}'],
    ['<h1>{SHOP.name}</h1>', "{variant('a') === 'b' ? <h1>{SHOP.name.trim()}</h1> : <h2 foo={1}>{id}</h2>}"],
    ['href="/all"', 'href={somewhere} prefetch={false} anything={1}'],
    [
      "import Link from 'next/link'\n",
      "import Link from 'next/link'\nimport { variant } from './svc-experiments.js'\nimport Image, { type Props } from 'next/image'\nexport const a: Props = <Image src={import.meta.env.BASE} {...process.env} />\n",
    ],
    ['useState<number>(0)', 'useState<{ n: number }>({ n: 1 })'],
  ] as const)
    t.equal(await said(find, replace), 'null', replace)
})

t.test('files of one edit are checked together', async (t) => {
  const written = new Map([['web/src/app/page.tsx', PAGE.replace('SHOP.name', 'SHOP.motto')]])
  t.match(await check.newErrorsIn(written), /motto/)
  const path = 'web/src/data/index.ts'
  written.set(path, FILES[path]?.replace("name: 'T", "motto: 'M', name: 'T") ?? '')
  t.equal(await check.newErrorsIn(written), null)
  written.set(
    path,
    FILES[path]?.replace("name: 'T", "motto: nothing(), many: () => priceOf('a'), name: 'T") ?? '',
  )
  t.match(await check.newErrorsIn(written), /data\/index\.ts: .*Expected 2 arguments/)
})

t.test('without a compiler, or beyond the limits, types are not checked', async (t) => {
  const code = (path: string): Map<string, string> => new Map([[path, 'export const a: string = 1']])
  const none = new TypeCheck(
    async () => null,
    undefined,
    async () => null,
  )
  t.equal(await none.newErrorsIn(code('a.ts')), null)
  t.equal(await none.newErrorsIn(code('a.vue')), null)
  t.strictSame([...none.unchecked], ['a.ts'])
  let now = 0
  const late = new TypeCheck(
    async () => '',
    () => now++ * 15_000,
  )
  t.equal(await late.newErrorsIn(code('b.ts')), null)
  t.strictSame([...late.unchecked], ['b.ts'])
  t.strictSame([...check.unchecked], [])
})
