/**
 * A formatted source file of about this many lines in a language that supports variants, with three places
 * that have alternatives.
 */
export interface Source {
  readonly path: string
  readonly text: string
  readonly edits: readonly { readonly find: string; readonly replace: string; readonly variant: string }[]
}

interface Form {
  readonly path: string
  readonly head: readonly string[]
  readonly block: (n: number) => readonly string[]
  readonly tail: readonly string[]
}

const card = (n: number, className: string, shown: string): string[] => [
  '    <li>',
  `      <article ${className}="card card-${n % 7}" id="card-${n}">`,
  `        <h2>Product number ${n}</h2>`,
  '        <p>',
  `          It holds ${n} things and weighs little, <em>less than</em>`,
  `          ${shown}`,
  '        </p>',
  `        <a href="/products/${n}" ${className}="button">Look at ${n}</a>`,
  '      </article>',
  '    </li>',
]

const component = (type: string): string[] => [
  `import { useState } from 'react'`,
  '',
  `export function Cards(${type}) {`,
  '  const [count] = useState(0)',
  '  return (',
  '    <ul>',
]

const FORMS: readonly Form[] = [
  {
    path: 'cards.html',
    head: [
      '<!doctype html>',
      '<html lang="en">',
      '<head>',
      '<title>Cards</title>',
      '</head>',
      '<body>',
      '<ul>',
    ],
    block: (n) => card(n, 'class', 'what others do.'),
    tail: ['</ul>', '</body>', '</html>'],
  },
  {
    path: 'src/cards.jsx',
    head: component('{ unit }'),
    block: (n) => card(n, 'className', `{count + ${n}} {unit}.`),
    tail: ['    </ul>', '  )', '}'],
  },
  {
    path: 'src/cards.tsx',
    head: component('{ unit }: { unit: string }'),
    block: (n) => card(n, 'className', `{count + ${n}} {unit}.`),
    tail: ['    </ul>', '  )', '}'],
  },
  {
    path: 'src/cards.ts',
    head: [`import { price, type Card } from './card'`, '', 'export const cards: Card[] = ['],
    block: (n) => [
      '  {',
      `    id: 'card-${n}',`,
      `    title: 'Product number ${n}',`,
      '    price: price({',
      `      amount: ${n} * 100,`,
      "      currency: 'EUR',",
      '    }),',
      `    tags: ['small', 'light', 'number-${n % 7}'],`,
      `    look: (count: number) => \`\${count} of ${n}\`,`,
      '  },',
    ],
    tail: [']'],
  },
  {
    path: 'src/Cards.vue',
    head: [
      '<script setup lang="ts">',
      "import { ref } from 'vue'",
      '',
      'const count = ref(0)',
      '</script>',
      '',
      '<template>',
      '  <ul>',
    ],
    block: (n) => card(n, 'class', `{{ count + ${n} }} grams.`),
    tail: ['  </ul>', '</template>'],
  },
  {
    path: 'src/Cards.svelte',
    head: ['<script lang="ts">', '  let count = $state(0)', '</script>', '', '<ul>'],
    block: (n) => card(n, 'class', `{count + ${n}} grams.`),
    tail: ['</ul>'],
  },
]

const LINES_PER_BLOCK = 10

export function sourcesOf(lines: number): Source[] {
  const blocks = Math.floor(lines / LINES_PER_BLOCK)
  const places = [0.1, 0.5, 0.9].map((share) => Math.floor(blocks * share))
  return FORMS.map(({ path, head, block, tail }) => ({
    path,
    text: [...head, ...Array.from({ length: blocks }, (_, n) => block(n)).flat(), ...tail, ''].join('\n'),
    edits: places.map((n) => {
      const quote = path.endsWith('.ts') ? "'" : ''
      const [open, close] = quote === '' ? ['<h2>', '</h2>'] : [quote, quote]
      return {
        find: `${open}Product number ${n}${close}`,
        replace: `${open}Thing number ${n}${close}`,
        variant: 'b',
      }
    }),
  }))
}
