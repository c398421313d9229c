import t from 'tap'
import { cleaned, edited, experimentOf, refusal, written } from '../../test/support/trial.js'

type AnEdit = { find: string; replace: string; variant?: string }
const b = (find: string, replace: string): AnEdit => ({ find, replace, variant: 'b' })
const CALL = "variant('hero', { control: 50, b: 50 }) === 'b'"
const SCRIPT =
  '<script lang="ts">\n  import { x } from \'./x\';\n  let n: number = $state(0);\n  const s = "s1";\n</script>\n\n'

function writtenOf(text: string, ...edits: AnEdit[]): string {
  const result = written('src/A.svelte', text, edits)
  t.equal(cleaned('src/A.svelte', result.text, result.regions, null), text, `taken back: ${text}`)
  t.equal(
    cleaned('src/A.svelte', result.text, result.regions, 'b'),
    edited(text, edits, 'b'),
    `shipped: ${text}`,
  )
  return result.text
}

t.test('texts, values and elements become choices, with and without a byte order mark', async (t) => {
  for (const mark of ['', '\ufeff']) {
    const text = (inner: string): string =>
      `${mark}${SCRIPT}<main>\n  ${inner}\n</main>\n\n<style lang="scss">$a: red; p { b { c: $a } }</style>\n`
    t.match(
      writtenOf(text('<p>Hi1 <b>x</b></p>'), b('Hi1', 'Ho &lt;')),
      `<p>{${CALL} ? 'Ho <' : 'Hi1'} <b>x</b></p>`,
    )
    t.match(
      writtenOf(text('<p>Hi1 <b>x</b></p>'), b('Hi1', 'Ho <i>z</i>')),
      `{#if ${CALL}}Ho <i>z</i>{:else}Hi1{/if} <b>x</b>`,
    )
    t.match(
      writtenOf(text('<h1>a1</h1>'), b('<h1>a1</h1>', '<h2>b1</h2>')),
      `  {#if ${CALL}}\n    <h2>b1</h2>\n  {:else}\n    <h1>a1</h1>\n  {/if}\n`,
    )
    t.match(writtenOf(text('<p title="a1">x</p>'), b('"a1"', '"It\'s"')), `title={${CALL} ? "It's" : 'a1'}`)
    t.match(
      writtenOf(text('<p class="a1 {n}">x</p>'), b('a1 {n}', 'b1 {n}')),
      `<p class="a1 {n}">x</p>\n  {/if}`,
    )
    t.match(writtenOf(text('{#each [1] as i (i)}<li>{i}one</li>{/each}'), b('one', 'two')), `{i}{${CALL}`)
    t.match(writtenOf(text('<p>x</p>'), b('"s1"', '"s2"')), `s = ${CALL} ? "s2" : "s1";`)
  }
  t.match(
    writtenOf('\ufeff<p>Hi1</p>\r\n', b('Hi1', 'Ho')),
    /^\ufeff<script>\r\n {2}import .*\r\n<\/script>\r\n\r\n<p>/,
  )
})

t.test('an element that a variant leaves out gets a condition', async (t) => {
  const SHOWN = "variant('hero', { control: 50, b: 50 }) !== 'b'"
  const whole = `${SCRIPT}<main>\n  <i>a1</i>\n  <b>b1</b>\n</main>\n`
  t.match(writtenOf(whole, b('<i>a1</i>', '')), `\n  {#if ${SHOWN}}\n    <i>a1</i>\n  {/if}\n  <b>b1</b>`)
  t.match(writtenOf('<p>a <i>a1</i> c</p>\n', b('<i>a1</i>', '')), `a {#if ${SHOWN}}<i>a1</i>{/if} c`)
  const moved = [b('<b>b1</b>', ''), b('<i>a1</i>', '<b>b1</b>\n  <i>a1</i>')]
  t.match(writtenOf(whole, ...moved), `{#if ${SHOWN}}\n    <b>b1</b>\n  {/if}`)
  const inCode = `${SCRIPT}{#if n}<i>a1</i>{:else}<u>u1</u>{/if}\n`
  t.match(writtenOf(inCode, b('<i>a1</i>', '')), `{#if n}{#if ${SHOWN}}<i>a1</i>{/if}{:else}`)
  const three = written(
    'src/A.svelte',
    whole,
    [b('<i>a1</i>', ''), { find: '<i>a1</i>', replace: '<u>c1</u>', variant: 'c' }],
    experimentOf('hero', ['b', 'c']),
  )
  t.match(three.text, /\{#if .* === 'b'\}\n {2}\{:else if .* === 'c'\}\n {4}<u>c1<\/u>\n {2}\{:else\}/)
})

t.test('edits that would break the component are refused', async (t) => {
  const refused = (inner: string, find: string, replace = 'z'): string =>
    refusal('src/A.svelte', `${SCRIPT}${inner}\n`, [b(find, replace)])
  t.match(refused('<svelte:head><title>T1</title></svelte:head>', '<title>T1</title>'), 'take its text')
  t.match(refused('<textarea>t1</textarea>', 't1'), 'whole element')
  t.match(refused('<p onclick={() => n++}>x</p>', '() => n++', '() => n--'), /written/)
  t.match(refused('{#if n}<i>a1</i>{/if}', '<i>a1</i>', '<b>b</b>{:else}c'), /reaches out|cannot be read/)
  t.match(refused('{#if n}<i>a1</i>{/if}', '<i>a1</i>', '{/if}{#if n}c'), 'reaches out')
  t.match(refused('{#if n}<i>a1</i>{/if}', '<i>a1</i>', '<b>b</b>{:else if n}c'), 'reaches out')
  t.match(refused('<p>a <i>b1</i> c</p>', '<i>b1</i>', '<i>b2</i> '), 'white space')
  t.match(refused('<p>one1 {n}</p>', 'one'), 'one1')
  t.match(refused('<C><p slot="s1">x</p></C>', '<p slot="s1">x</p>', '<i>y</i>'), 'cannot be read')
  const first = written('src/A.svelte', `${SCRIPT}<div><p>x1</p></div>\n`, [b('<p>x1</p>', '<p>y1</p>')])
  t.match(
    refusal('src/A.svelte', first.text, [b('x1', 'z')], experimentOf('o', ['b'])),
    'part of the experiment hero',
  )
  t.match(refused('<div>'.repeat(20_000), '<div>'), 'more than once')
})

t.test('a rune keeps its call, and only its argument becomes a choice', async (t) => {
  const text = `${SCRIPT}<p>{n}</p>\n`
  t.match(
    refusal('src/A.svelte', text, [b('$state(0)', '$derived(10)')]),
    /it calls \$(state|derived), a rune/,
  )
  t.match(writtenOf(text, b('$state(0)', '$state(10)')), `$state(${CALL} ? 10 : 0)`, 'the argument alone')
  const raw = text.replace('$state(0)', '$state.raw(0)')
  t.match(refusal('src/A.svelte', raw, [b('$state.raw(0)', '$state(10)')]), /a rune/)
  t.match(writtenOf(text.replace('(0)', '(1000)'), b('1000', '2000')), `$state(${CALL} ? 2000 : 1000)`)
})
