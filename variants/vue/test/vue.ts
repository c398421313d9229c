import t from 'tap'
import { cleaned, edited, experimentOf, refusal, written } from '../../test/support/trial.js'

type AnEdit = { find: string; replace: string; variant?: string }
const b = (find: string, replace: string): AnEdit => ({ find, replace, variant: 'b' })
const CALL = "variant('hero', { control: 50, b: 50 }) === 'b'"
const SETUP = "<script setup>\nimport { ref } from 'vue'\nconst n = ref(1)\n</script>\n\n"
const component = (inner: string): string =>
  `${SETUP}<template>\n  <main>\n    ${inner}\n  </main>\n</template>\n`

function writtenOf(text: string, ...edits: AnEdit[]): string {
  const result = written('src/A.vue', text, edits)
  t.equal(cleaned('src/A.vue', result.text, result.regions, null), text, `taken back: ${text}`)
  t.equal(
    cleaned('src/A.vue', result.text, result.regions, 'b'),
    edited(text, edits, 'b'),
    `shipped: ${text}`,
  )
  return result.text
}

t.test('texts, values and elements become choices', async (t) => {
  t.match(
    writtenOf(component('<p>Hi1 <b>x</b></p>'), b('Hi1', "It's")),
    `<p>{{ ${CALL} ? 'It\\'s' : 'Hi1' }} <b>x</b></p>`,
  )
  t.match(
    writtenOf(component('<p>a &amp; b {{ n }}</p>'), b('a &amp; b', 'c {{ n }}')),
    `<template v-if="${CALL}">c {{ n }}</template><template v-else>a &amp; b</template> {{ n }}`,
  )
  t.match(
    writtenOf(component('<p class="a1">x</p>'), b('<p class="a1">x</p>', '<i>y</i>')),
    `    <template v-if="${CALL}">\n      <i>y</i>\n    </template>\n    <template v-else>\n      <p class="a1">x</p>\n    </template>\n`,
  )
  t.match(
    writtenOf(component('<p title="It\'s">x</p>'), b("It's", 'a &amp; &quot;b&quot;')),
    `'a &amp; &quot;b&quot;'`,
  )
  t.match(
    writtenOf(component(`<p :title="n + 'z'">x</p>`), b("n + 'z'", "n + 'y'")),
    `:title="${CALL} ? n + 'y' : n + 'z'"`,
  )
  t.match(
    writtenOf(component('<img src="@/a.png">'), b('@/a.png', '@/b.png')),
    '<img src="@/a.png">',
    'addresses that the build resolves stay plain',
  )
  t.match(
    writtenOf(component('<C><template #s="{ v }"><i>in</i></template></C>'), b('<i>in</i>', '<u>in</u>')),
    '<template v-else><i>in</i></template>',
  )
  t.match(writtenOf(component('<ul><li v-for="i in n" :key="i">one</li></ul>'), b('one', 'two')), CALL)
})

t.test('the helper is imported where the template can use it', async (t) => {
  t.match(
    writtenOf(component('<p>Hi1</p>'), b('Hi1', 'Ho')),
    "import { ref } from 'vue'\nimport { variant } from './svc-experiments.js'\nconst",
  )
  t.match(
    writtenOf('\ufeff<template>\r\n\t<p>Hi1</p>\r\n</template>\r\n', b('Hi1', 'Ho')),
    /^\ufeff<script setup>\r\nimport/,
  )
  t.match(
    writtenOf(
      '<template>\n  <p>Hi1</p>\n</template>\n<script lang="ts">\nexport default { data: () => ({ a: "x1" }) }\n</script>\n',
      b('Hi1', 'Ho'),
      b('"x1"', '"y1"'),
    ),
    '<script setup lang="ts">\n',
  )
  t.match(writtenOf(component('<C variant="v">Hi1</C>'), b('Hi1', 'Ho')), 'variant as svcVariant')
  t.match(
    refusal(
      'src/A.vue',
      '<template><p>Hi1</p></template>\n<script>\nexport default { setup() {} }\n</script>\n',
      [b('Hi1', 'Ho')],
    ),
    'setup function',
  )
})

t.test('edits that would break, or be shown as code, are refused', async (t) => {
  const refused = (inner: string, find: string, replace = 'z'): string =>
    refusal('src/A.vue', component(inner), [b(find, replace)])
  t.match(refused('<p v-if="n">a</p>\n    <p v-else>b1</p>', '<p v-else>b1</p>', '<i/>'), 'v-else')
  t.match(refused('<p v-if="n">a1</p>\n    <p v-else>b</p>', '<p v-if="n">a1</p>', '<i/>'), 'v-else')
  t.match(refused('<C><template #s><i/></template></C>', '<template #s><i/></template>', '<b/>'), 'cannot be')
  t.match(refused('<p v-pre>raw1</p>', 'raw1'), 'v-pre')
  t.match(refused('<textarea>raw1</textarea>', 'raw1'), 'textarea')
  t.match(refused('<p @click="go(\'k1\')">x</p>', "go('k1')"), 'directives')
  t.match(refused('<p ref="r1">x</p>', 'r1'), 'when the component is built')
  t.match(refused('<p>x1 y</p>', 'x1'), 'x1 y')
  t.match(refused('<p>x1</p>', 'x1', '</p></main></template>'), /cannot be read|reaches out/)
  t.match(refused('<p>x1</p>', 'x1', '</p><p>'), /cannot be read|reaches out/)
  t.match(refused('<!-- c1 --><p>x</p>', 'c1'), 'comment')
  t.match(refusal('src/A.vue', '<template lang="pug">\np x1\n</template>\n', [b('x1', 'y')]), 'in HTML')
  const first = written('src/A.vue', component('<div>\n      <p>x1</p>\n    </div>'), [
    b('<p>x1</p>', '<p>y1</p>'),
  ])
  t.match(
    refusal('src/A.vue', first.text, [b('x1', 'z')], experimentOf('o', ['b'])),
    'part of the experiment hero',
  )
  t.match(
    refusal('src/A.vue', first.text, [b('y1', 'z')], experimentOf('o', ['b'])),
    'part of the experiment hero',
  )
  t.match(
    refusal('src/A.vue', component('<div>'.repeat(20_000)), [b('ref(1)', '2')]),
    /cannot be read|deeply/,
  )
})

t.test('written code has no line breaks that would change the layout of the markup', async (t) => {
  const text = (inner: string): string => `<template>\n  <p>\n    ${inner}\n  </p>\n</template>\n`
  const long = 'a text that is so long that in code it would go on a line of its own'
  t.match(
    written('src/A.vue', text(`<b>${long}</b>`), [b(long, 'short')]).text,
    `? 'short' : '${long}' }}</b>`,
  )
  const lines = text('read the\n    words <i>x</i>')
  const { text: made, regions } = written('src/A.vue', lines, [b('read the\n    words', 'go\n    on')])
  t.match(made, `{{ ${CALL} ? 'go on' : 'read the words' }} <i>`)
  t.equal(cleaned('src/A.vue', made, regions, null), lines)
  t.equal(cleaned('src/A.vue', made, regions, 'b'), lines.replace('read the\n    words', 'go\n    on'))
})

t.test('an attribute may become bound or words, and v-if another condition', async (t) => {
  const page = (own: string): string =>
    `<script setup>\nconst n = 1\n</script>\n\n<template>\n  <main>${own}</main>\n</template>\n`
  const own = '<Go label="Buy" :title="n" :class="[n]">x</Go>'
  const chosen = (find: string, replace: string, text = own): string => {
    const result = written('a.vue', page(text), [b(find, replace)])
    t.equal(cleaned('a.vue', result.text, result.regions, null), page(text), `taken back: ${replace}`)
    t.equal(cleaned('a.vue', result.text, result.regions, 'b'), page(text.replace(find, replace)), replace)
    return result.text.replace(/\s+/g, ' ')
  }
  const not = (find: string, replace: string, text = own): string =>
    refusal('a.vue', page(text), [b(find, replace)])
  t.match(chosen(':title="n"', `:title="'Now'"`), /:title="variant\(.* === 'b' \? 'Now' : n"/)
  t.match(chosen('"n"', `"'Now'"`), /:title="variant\(.* === 'b' \? 'Now' : n"/)
  t.match(chosen(':title="n"', 'title="Now"'), '<Go label="Buy" title="Now" :class="[n]">x</Go></template>')
  t.match(chosen('label="Buy"', ':label="n"'), '<Go :label="n" :title="n" :class="[n]">x</Go></template>')
  t.match(chosen('label="Buy"', ''), '<Go :title="n" :class="[n]">x</Go></template>')
  t.match(chosen('v-if="n > 1"', 'v-if="n > 2"', '<p v-if="n > 1">x</p>'), '<p v-if="n > 2">x</p></template>')
  t.match(not(':title="n"', ':title="Buy it now"'), `quotes of its own, as "'Buy it now'"`)
  t.match(not('label="Buy"', ':label="Buy it"'), /cannot be compiled|cannot be read/)
  const chain = '<p v-if="n > 1">A</p><b v-else>B</b>'
  for (const [find, replace] of [
    ['<p v-if="n > 1">A</p>', '<p v-if="n > 1">C</p>'],
    ['<b v-else>B</b>', '<b v-else>C</b>'],
    ['v-if="n > 1"', 'v-if="n > 2"'],
  ] as const)
    t.match(not(find, replace, chain), 'take what is inside of it', find)
})
