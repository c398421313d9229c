import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileScript, parse } from '@vue/compiler-sfc'
import { transform } from 'esbuild'
import { createElement, type FunctionComponent } from 'react'
import { renderToString as renderReact } from 'react-dom/server'
import type { Component as SvelteComponent } from 'svelte'
import { compile } from 'svelte/compiler'
import { render as renderSvelte } from 'svelte/server'
import t from 'tap'
import { createSSRApp, type Component as VueComponent } from 'vue'
import { renderToString as renderVue } from 'vue/server-renderer'
import { packageRoot } from '../../runtime/package-root.js'
import { componentSource } from '../helper/component.js'
import { COMPONENT_FILE } from '../helper-name.js'
import type { HelperReference } from '../port.js'
import { writeVariants } from '../write.js'
import { edited, hero } from './support/trial.js'

/** A server renders the control the same before and after the edit, byte for byte. */

const folder = mkdtempSync(join(packageRoot(), '.build-site-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
writeFileSync(
  join(folder, 'svc-experiments.js'),
  "export const variant = () => globalThis.arm ?? 'control'\n",
)
writeFileSync(join(folder, COMPONENT_FILE), componentSource())

let modules = 0
async function load<T>(code: string): Promise<T> {
  const file = join(folder, `module-${modules++}.js`)
  writeFileSync(file, code)
  return ((await import(file)) as { default: T }).default
}

interface Framework {
  readonly path: string
  readonly text: string
  readonly helper?: HelperReference
  render(text: string): Promise<string>
}

const REACT: Framework = {
  path: 'src/A.tsx',
  text: `const TITLE = 'Shop'
const LIST = [{ name: 'One', big: true }, { name: 'Two' }]
const WORDS = ['red', 'green']

export default function A({ label = 'Send' }: { label?: string }) {
  return (
    <main className="wide  page" title="Hint">
      <h1>{TITLE} for {label} at <b>home</b> now</h1>
      {LIST.map((one) => <p key={one.name}>{one.name} is here</p>)}
      <ul>{WORDS.map((word) => <li key={word}>{word}</li>)}</ul>
      {label > 'A' ? <p>Many: {\`about \${label}\`}</p> : <p>Few</p>}
      <p>Fish &amp; chips{' '}
        and   more <i>later</i>
      </p>
      <a href="?a=1&amp;b=2" title="">Link</a><textarea defaultValue="Words" />
      <button type="button" style={{ color: 'blue' }}>Switch over</button>
    </main>
  )
}
`,
  render: async (text) => {
    const { code } = await transform(text, { loader: 'tsx', jsx: 'automatic' })
    return renderReact(createElement(await load<FunctionComponent>(code)))
  },
}

const SERVER_COMPONENT: Framework = {
  ...REACT,
  path: 'app/page.tsx',
  helper: { importPath: './svc-experiments.js', rendersOnServer: true, hasServerComponents: true },
}

const VUE: Framework = {
  path: 'src/A.vue',
  text: `<script setup lang="ts">
import { ref } from 'vue'
const open = ref(true)
const words = ['red', 'green']
withDefaults(defineProps<{ label?: string; other?: string }>(), { label: 'Send', other: 'More' })
</script>

<template>
  <main class="wide  page" :title="'Hint ' + label">
    <h1>Shop for {{ label }} at <b>home</b> now</h1>
    <p class="first" :class="{ open }" style="color: red; margin: 0">Fish &amp; chips</p>
    <ul><li v-for="word in words" :key="word">{{ word }} fruit</li></ul>
    <input type="checkbox" checked="checked" disabled="" value="on"><img src="/a.png" alt="A cat">
    <p v-if="!open">Closed</p><p v-else>Opened</p>
    <button type="button" @click="open = !open">Switch {{ other }} over</button>
  </main>
</template>
`,
  render: async (text) => {
    const { descriptor } = parse(text, { filename: 'A.vue' })
    const templateOptions = { ssr: true, ssrCssVars: [] }
    const { content } = compileScript(descriptor, { id: 'a', inlineTemplate: true, templateOptions })
    const { code } = await transform(content, { loader: 'ts' })
    return renderVue(createSSRApp(await load<VueComponent>(code), { class: 'inherited' }))
  },
}

const SVELTE: Framework = {
  path: 'src/A.svelte',
  text: `<script lang="ts">
  let { label = 'Send' } = $props()
  let open = $state(true)
  const words = ['red', 'green']
</script>

<svelte:head><title>Shop one</title><meta name="description" content="All of it"></svelte:head>
<main class="wide  page" title="Hint">
  <h1>Shop for {label} at <b>home</b> now</h1>
  <p class="first" class:open style="color: red; margin: 0">Fish &amp; chips</p>
  {#if open}<p>Open <i>today</i></p>{:else}<p>Closed</p>{/if}
  <ul>{#each words as word (word)}<li>{word} fruit</li>{/each}</ul>
  <input type="checkbox" checked="checked" disabled="" value="on">
  <button type="button" onclick={() => (open = !open)}>Switch {label} over</button>
</main>

<style>.first { color: red } .wide { margin: 0 }</style>
`,
  render: async (text) => {
    const { js } = compile(text, { generate: 'server' })
    const { head, body } = renderSvelte(await load<SvelteComponent>(js.code))
    return head + body
  },
}

/** Texts, values and elements, found without a parser. */
function findsIn(text: string): string[] {
  const found = [...text.matchAll(/'[^'\n]+'|[\w:]+="[^"\n]*"|"[^"\n]+"/g)].map(([own]) => own)
  for (const [, own = ''] of text.matchAll(/[>}]\s*([^<>{}\n]+?)\s*(?=[<{])/g)) found.push(own)
  for (const { index } of text.matchAll(/<\w/g)) {
    const element = /^<(\w+)\b(?:[^<>]|=>)*>(?:[^<]|<(?!\/\1>))*<\/\1>|^<(img|input|textarea)[^>]*>/
    const [own] = element.exec(text.slice(index)) ?? []
    if (own !== undefined) found.push(own)
  }
  return [...new Set(found)].filter((own) => own !== '' && text.split(own).length === 2)
}

/** Another text for the same place. */
function otherFor(find: string): string {
  const end = find.lastIndexOf('</')
  if (end > 0) return `${find.slice(0, end)}more${find.slice(end)}`
  if (find.startsWith('<')) return find.replace(/ ?\/?>$/, ' id="more" />')
  return find.replace(/\w?(?=["']?$)/, (last) => `${last}more`)
}

/** Blocks leave comments in what a server renders. */
const withoutComments = (page: string): string => page.replace(/<!--.*?-->/g, '')

const HELPER: HelperReference = { importPath: './svc-experiments.js', rendersOnServer: true }

for (const { path, text, helper = HELPER, render } of [REACT, SERVER_COMPONENT, VUE, SVELTE])
  t.test(path, async (t) => {
    const control = withoutComments(await render(text))
    let written = 0
    for (const find of findsIn(text)) {
      const edits = [{ find, replace: otherFor(find), variant: 'b' }]
      const result = writeVariants({ path, text, experiment: hero, edits, helper, isTrial: true })
      if (!result.ok) continue
      written += 1
      t.equal(withoutComments(await render(result.text)), control, find)
      if (helper === HELPER) continue
      Object.assign(globalThis, { arm: 'b' })
      const [shown, byHand] = [await render(result.text), await render(edited(text, edits, 'b'))]
      Object.assign(globalThis, { arm: 'control' })
      t.equal(withoutComments(shown), withoutComments(byHand), `${find} for b`)
    }
    t.ok(written > (helper === HELPER ? 20 : 15), `${written} edits`)
  })
