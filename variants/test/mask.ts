import t from 'tap'
import { maskUnrelated, relationTo, unrelatedNodes } from '../mask.js'
import { onlyPlaceOf } from '../text.js'
import { refusal, written } from './support/trial.js'

type AnEdit = { find: string; replace: string; variant: string }
const b = (find: string, replace: string): AnEdit => ({ find, replace, variant: 'b' })

t.test('a masked range keeps its length and its line ends', async (t) => {
  const text = "a('😀',\r\n  2)\u2028b\n"
  const made = maskUnrelated(text, [{ start: 0, end: text.length - 2, placeholder: '0' }])
  t.equal(made, '0      \r\n    \u2028b\n')
  t.equal(made.length, text.length)
})

t.test('neighbours of a node with an edit are not masked', async (t) => {
  const nodes = [0, 10, 20, 30, 40].map((start) => ({ start, end: start + 10 }))
  const edits = [{ start: 22, end: 25 }]
  t.strictSame(
    unrelatedNodes(edits, nodes).map(({ start }) => start),
    [0, 40],
  )
  t.equal(relationTo(edits, { start: 23, end: 24 }), 'inside')
  t.equal(relationTo(edits, { start: 0, end: 50 }), 'holds')
  t.equal(relationTo(edits, { start: 25, end: 50 }), 'beside')
})

/** Neighbours of an edit that decide whether it fits. */
t.test('the neighbours that an edit depends on are parsed', async (t) => {
  const far = (n: number): string => `export const far${n} = 'a long text that is no part of anything'\n`
  const around = far(1) + far(2) + far(3)
  t.match(
    refusal('src/a.js', `${around}const x = f\n;'it1'.length\n${far(4)}`, [b("'it1'", '(1')]),
    /cannot be read/,
  )
  t.match(
    written('src/a.js', `${around}f()\n'it1'.trim()\n${far(4)}`, [b("'it1'", "'it2'")]).text,
    /f\(\)\n/,
    'a line that is read on is known before it is written',
  )
  const wait = `${around}function g() {\n  const far = 'a long text that is no part of anything'\n  return 'it1'\n}\n`
  t.match(
    refusal('src/a.ts', wait.replace('function g', 'class A { #a = 1; g'), [b("'it1'", 'this.#b')]),
    /#b|cannot/,
  )
  const items = Array.from({ length: 5 }, (_, n) => `  <li>Number ${n} of a long list</li>\n`).join('')
  const vue = (inner: string): string => `<template>\n<ul>\n${items}${inner}${items}</ul>\n</template>\n`
  t.match(
    refusal('src/A.vue', vue('<li v-if="a">one1</li>\n<li v-else>two1</li>\n'), [
      b('<li v-if="a">one1</li>', '<li>one2</li>'),
    ]),
    /v-else|v-if/,
  )
  const svelte = (inner: string): string => `<ul>\n${items}${inner}${items}</ul>\n`
  t.match(
    refusal('src/A.svelte', svelte('<li>one1</li>\n'), [b('<li>one1</li>', '<li>{#if}</li>')]),
    /read|whole/,
  )
  const text = svelte('<li>one1</li>\n')
  t.equal(typeof onlyPlaceOf(text, 'one1'), 'number')
  t.match(written('src/A.svelte', text, [b('one1', 'two1')]).text, items, 'the written text has no mask')
})
