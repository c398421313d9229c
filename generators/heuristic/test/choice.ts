import t from 'tap'
import { batch, found, page, patternsOf, saysOf, wholeBatch } from '../../test/support/workspace.js'

type Files = Readonly<Record<string, string>>
const of = async (pattern: string, files: Files): Promise<string> =>
  saysOf(await wholeBatch(files), pattern).join('\n')

/** A part in React that begins with something, and offers more of it. */
const offers = (
  data: string,
  starts: string,
  item = '<b>{one.name}</b><i>{one.price} €</i>',
): string => `${data}
export function Offers({ sizes }) {
  const [chosen, setChosen] = useState(${starts})
  return (
    <section>
      <h2>Which of them is for you</h2>
      {plans.map((one) => <button key={one.id} onClick={() => setChosen(one.id)}>${item}</button>)}
    </section>
  )
}
`
const PLANS = `const plans = [
  { id: 'solo', name: 'Solo', price: 9 },
  { id: 'team', name: 'Team', price: 24, popular: true },
  { id: 'firm', name: 'Firm', price: 59 },
]
`

t.test('what data marks as chosen most is what one begins with', async (t) => {
  const preset = (code: string, more: Files = {}): Promise<string> =>
    of('stated-choice-preset', { 'src/offers.tsx': code, ...more })
  t.equal(await preset(offers(PLANS, "'solo'")), "useState('solo') → useState('team')", 'by its mark')
  t.equal(await preset(offers(PLANS, 'plans[0].id')), "plans[0].id → 'team'")
  t.equal(await preset(offers(PLANS, "'team'")), '', 'it is so already')
  t.equal(await preset(offers(PLANS.replace(', popular: true', ''), "'solo'")), '', 'nothing is marked')
  t.equal(await preset(offers(PLANS.replaceAll('9 }', '9, popular: true }'), "'solo'")), '', 'two are marked')
  t.equal(
    await preset(offers(PLANS, "'solo'").replaceAll('setChosen(one.id)', 'open()')),
    '',
    'nobody can change it',
  )
  t.equal(
    await preset(offers(PLANS, "'solo'", '<b>{one.name}</b>').replace('24, popular', '24, popular')),
    '',
    'what it costs is not seen there',
  )
  for (const words of ['Most popular', 'Am beliebtesten', 'Le plus choisi', 'El más elegido'])
    t.equal(
      await preset(offers(PLANS.replace('popular: true', `badge: '${words}'`), "'solo'")),
      "useState('solo') → useState('team')",
      words,
    )
  const sorted = offers(
    PLANS.replace("name: 'Team', price: 24, popular: true", "name: 'Most popular', price: 24"),
    "'solo'",
  )
  t.equal(await preset(sorted), '', 'so is sorted')
  t.equal(await preset(offers(PLANS, "'solo'").replaceAll('hosen', 'hosenTab')), '', 'a view is no choice')
  const insured = offers(PLANS, "'solo'").replaceAll('hosen', 'hosenInsurance')
  t.equal(await preset(insured), '', 'no extra is nudged to')
})

t.test('cards in markup, of which one is marked', async (t) => {
  const preset = (code: string): Promise<string> => of('stated-choice-preset', { 'src/cards.tsx': code })
  const card = (value: string, more = ''): string =>
    `<div><h3>Box ${value}</h3>${more}<button onClick={() => setBox('${value}')}>Take it</button></div>`
  const cards = (starts: string, mark = '<span>Meistgewählt</span>'): string =>
    `export function Cards() {\n  const [box, setBox] = useState('${starts}')\n  return <section><h2>Welche Kiste es für euch wird</h2>${card('small')}${card('large', mark)}</section>\n}\n`
  t.equal(
    await preset(cards('small')),
    "'small' → 'large'".replace(/'\w+'/g, (one) => `useState(${one})`),
  )
  t.equal(await preset(cards('large')), '')
  t.equal(await preset(cards('small', '<span>Neu</span>')), '')
  const after = (code: string): string => cards('small').replace('  return', `  ${code}\n  return`)
  t.equal(await preset(after("useEffect(() => { setBox('small') }, [])")), '', 'set anew once it is there')
  const loaded =
    'const load = async () => {\n    const { kept } = await read()\n    setBox(kept)\n  }\n  useEffect(() => {\n    load()\n  }, [])'
  t.equal(await preset(after(loaded)), '', 'by a function too')
  t.not(await preset(after('useEffect(() => { document.title = box }, [box])')), '', 'that reads it')
  const group = (starts: string): string =>
    `export function Cards() {\n  return <Group defaultValue="${starts}"><h2>Which of the boxes is for you</h2><div><Item value="small" /><p>Small</p></div><div><Item value="large" /><p>Large</p><Badge>Most popular</Badge></div></Group>\n}\n`
  t.match(await preset(group('small')), 'defaultValue="large"')
  t.equal(await preset(group('large')), '')
})

t.test(
  'an order in which things are listed is no choice, and who is inside chooses for other reasons',
  async (t) => {
    const list = (words: string): string =>
      `export function List() {\n  const [by, setBy] = useState('new')\n  return <section><h1>All of the boxes that we have</h1><select value={by} onChange={(e) => setBy(e.target.value)}><option value="new">The small one</option><option value="most">${words}</option></select></section>\n}\n`
    const has = async (path: string, words: string): Promise<boolean> =>
      patternsOf(await batch({ [path]: list(words) })).includes('stated-choice-preset')
    t.ok(await has('src/list.tsx', 'The large one – most popular'))
    t.notOk(await has('src/list.tsx', 'Most popular'))
    t.notOk(await has('src/seller/settings/list.tsx', 'The large one – most popular'))
  },
)

t.test('a list that a part is given: the mark that data of the site has', async (t) => {
  const part = `export function Sizes({ sizes }) {
  const [grams, setGrams] = useState(sizes[0].grams)
  return (
    <fieldset>
      {sizes.map((s) => <label key={s.grams}><input type="radio" checked={grams === s.grams} onChange={() => setGrams(s.grams)} />{s.grams} g {s.note} {s.price} €</label>)}
    </fieldset>
  )
}
`
  const data = (note: string): string =>
    `export const sizes = [{ grams: 50, price: 9 }, { grams: 100, price: 16, note: '${note}' }]\n`
  const preset = (note: string): Promise<string> =>
    of('stated-choice-preset', { 'src/sizes.tsx': part, 'src/lib/products.ts': data(note) })
  t.equal(
    await preset('Le plus choisi'),
    "sizes[0].grams → (sizes.find((one) => one.note === 'Le plus choisi') ?? sizes[0]).grams",
  )
  t.equal(await preset('Nouveau'), '')
  const taken = (from: string): Promise<string> =>
    of('stated-choice-preset', {
      'src/sizes.tsx': `import { sizes } from '${from}'\n${part.replace('{ sizes }', '')}`,
      'src/lib/products.ts': data('Le plus choisi'),
      'src/lib/parcels.ts': 'export const sizes = [{ grams: 50, price: 9 }, { grams: 100, price: 16 }]\n',
    })
  t.match(await taken('./lib/products'), 'Le plus choisi')
  t.equal(await taken('./lib/parcels'), '', 'that is another list')
})

t.test('an option that a sentence beside it names', async (t) => {
  const list = (
    says: string,
    options = '<option value="1" selected>1</option><option value="3">3</option>',
  ): Files => ({
    'a.html': page(
      `<h1>Plan the week for all of you</h1><form action="/go"><p>${says}</p><label>People <select name="people">${options}</select></label><button>Go</button></form>`,
    ),
  })
  const preset = async (files: Files): Promise<string> => of('stated-choice-preset', files)
  t.match(await preset(list('Most households cook for three.')), '<option selected value="3">3</option>')
  t.match(await preset(list('Most households cook for three.')), '<option value="1">1</option>')
  for (const says of [
    'Die meisten kochen für drei.',
    'La plupart cuisinent pour trois.',
    'La mayoría cocina para tres.',
  ])
    t.match(await preset(list(says)), 'selected value="3"', says)
  t.equal(await preset(list('Most households buy two and get three.')), '', 'figures that are reckoned with')
  t.equal(await preset(list('We cook for three.')), '', 'it says nothing of others')
  t.equal(await preset(list('Most households do not cook for three.')), '', 'it says that they do not')
  t.equal(await preset(list('Most households cook for one.')), '', 'it is what is set')
  const prompt = '<option value="">Choose</option><option value="3">3</option>'
  t.equal(
    await preset(list('Most households cook for three.', prompt)),
    '',
    'an empty prompt asks to be read',
  )
  const other =
    list('Most households cook for three.')['a.html']?.replace(
      '<p>',
      '<label>Name <input name="n"></label><p>',
    ) ?? ''
  t.equal(await preset({ 'a.html': other }), '', 'it may be said of the other field')
  t.equal(
    await preset({
      'a.html': list('Most households cook for three.')['a.html']?.replaceAll('people', 'newsletter') ?? '',
    }),
    '',
  )
})

t.test('an option of a list in code, and one that an object begins with', async (t) => {
  const preset = (path: string, text: string): Promise<string> => of('stated-choice-preset', { [path]: text })
  const says = '<p>Die meisten kochen für drei.</p>'
  const svelte = (starts: string): string =>
    `<script>\n  let people = $state(${starts})\n</script>\n\n<h1>Für wen gekocht wird in der Woche</h1>${says}\n{#each [1, 2, 3, 4] as n}<button aria-pressed={people === n} onclick={() => (people = n)}>{n}</button>{/each}\n`
  t.equal(await preset('src/Who.svelte', svelte('1')), '$state(1) → $state(3)')
  t.equal(await preset('src/Who.svelte', svelte('3')), '')
  const vue = (name: string): string =>
    `<script setup>\nimport { reactive } from 'vue'\nconst form = reactive({ name: '', people: '1' })\n</script>\n\n<template>\n<form @submit.prevent="go"><h1>Für wen gekocht wird in der Woche</h1>${says}<select v-model="form.${name}"><option value="1">1</option><option value="3">3</option></select></form>\n</template>\n`
  t.equal(await preset('src/Who.vue', vue('people')), "'1' → '3'")
  t.equal(await preset('src/Who.vue', vue('other')), '', 'it begins with nothing that is known')
})

t.test('a marked radio button, where another is set', async (t) => {
  const radio = (value: string, more: string, words: string): string =>
    `<label><input type="radio" name="box" value="${value}"${more}> ${words}</label>`
  const form = (first: string, second: string): string =>
    `<form action="/go"><h1>Which of the boxes is for you</h1>${radio('s', first, 'The small one')}${radio('m', second, 'The middle one <b>Most popular</b>')}<button>Go</button></form>`
  const preset = (path: string, text: string): Promise<string> => of('stated-choice-preset', { [path]: text })
  t.match(
    await preset('a.html', page(form(' checked', ''))),
    '<input checked type="radio" name="box" value="m">',
  )
  t.equal(await preset('a.html', page(form('', ' checked'))), '', 'it is set')
  t.match(
    await preset('a.html', page(form('', ''))),
    '<input checked type="radio" name="box" value="m">',
    'none is',
  )
  t.equal(await preset('a.html', page(form('', ' disabled'))), '', 'it cannot be had')
  const vue = `<script setup>\nimport { ref } from 'vue'\nconst box = ref('s')\n</script>\n\n<template>\n${form(' v-model="box"', ' v-model="box"')}\n</template>\n`
  t.equal(await preset('src/Boxes.vue', vue), "'s' → 'm'")
  const svelte = `<script>\n  let box = $state('s')\n</script>\n\n${form(' bind:group={box}', ' bind:group={box}')}\n`
  t.equal(await preset('src/Boxes.svelte', svelte), "'s' → 'm'")
})

t.test('the prices of a year, also where the month stands several times', async (t) => {
  const prices = (starts: string, says = 'two months free'): string => `export function Prices() {
  const [billing, setBilling] = useState<Billing>(${starts})
  return (
    <section>
      <h1>What it costs for you and the team</h1>
      {['monthly', 'yearly'].map((b) => <button key={b} onClick={() => setBilling(b)}>{b === 'monthly' ? 'Pay monthly' : 'Pay yearly, ${says}'}</button>)}
      <p>{billing === 'monthly' ? 'a month' : 'a month, billed yearly'}</p>
    </section>
  )
}
`
  const first = (code: string): Promise<string> => of('yearly-first', { 'src/prices.tsx': code })
  t.equal(await first(prices("'monthly'")), "useState<Billing>('monthly') → useState<Billing>('yearly')")
  const alone = patternsOf(await batch({ 'src/prices.tsx': prices("'monthly'") }))
  t.notOk(alone.includes('yearly-first'), 'it is only looked at')
  const href = ['{`/join?for=$', '{billing}`}'].join('')
  const along = prices("'monthly'").replace('</section>', `<a href=${href}>Join</a></section>`)
  const isFirst = async (code: string): Promise<boolean> =>
    patternsOf(await batch({ 'src/prices.tsx': code })).includes('yearly-first')
  t.notOk(await isFirst(along), 'the page alone knows what a year costs')
  const sold = along.replace('return (', "const yearlyPriceId = 'price_2'\n  return (")
  t.ok(await isFirst(sold), 'it goes along')
  const given = (name: string): string =>
    sold.replace(`<a href=${href}>Join</a>`, `<Part ${name}={billing} />`)
  t.ok(await isFirst(given('period')), 'a part is given it')
  for (const name of ['checked', 'value', 'aria-pressed'])
    t.notOk(await isFirst(given(name)), 'the switch alone is given it')
  for (const path of ['src/pages/BillingPage.tsx', 'src/app/billing/page.tsx'])
    t.notOk(patternsOf(await batch({ [path]: sold })).includes('yearly-first'), 'they pay already')
  t.equal(await first(prices("'yearly'")), '')
  const twice = prices("'monthly'").replace(
    '  return',
    "  const [other, setOther] = useState<Billing>('monthly')\n  return",
  )
  t.match(
    await first(twice),
    "const [billing, setBilling] = useState<Billing>('yearly')",
    'where the same call stands twice',
  )
  t.equal(await first(prices("'monthly'", 'at once')), '', 'it saves nothing')
  t.equal(await first(prices("'monthly'").replaceAll('setBilling(b)', 'open()')), '', 'nobody can turn it')
})

t.test('amounts to give: the middle one', async (t) => {
  const give = (
    starts: string,
    list = '[10, 25, 60, 150]',
    words = 'Donate to the river',
  ): string => `const AMOUNTS = ${list}
export function Form() {
  const [amount, setAmount] = useState<number | null>(${starts})
  return (
    <form action="/go" method="post">
      <h1>${words} for all of us</h1>
      {AMOUNTS.map((a) => <button key={a} type="button" aria-pressed={amount === a} onClick={() => setAmount(a)}>£{a}</button>)}
      <input type="hidden" name="amount" value={amount ?? ''} />
    </form>
  )
}
`
  const preset = (code: string): Promise<string> => of('amount-preset', { 'src/form.tsx': code })
  t.match(await preset(give('null')), '(25)')
  t.match(await preset(give('null', '[5, 10, 20]')), '(10)')
  t.equal(await preset(give('10')), '', 'one is set')
  t.equal(await preset(give('null', '[10, 25]')), '', 'there is no middle')
  t.equal(await preset(give('null', '[10, 25, 60]', 'Book a boat')), '', 'nothing is given')
  const radios = (more: string): string =>
    page(
      `<h1>Jetzt spenden für den Fluss und die Wiese</h1><form action="/go">${[10, 20, 50].map((one) => `<label><input type="radio" name="betrag" value="${one}"${one === 10 ? more : ''}> ${one} €</label>`).join('')}<button>Spenden</button></form>`,
      'de',
    )
  const inMarkup = (more: string): Promise<string> => of('amount-preset', { 'a.html': radios(more) })
  t.match(await inMarkup(''), '<input checked type="radio" name="betrag" value="20">')
  t.equal(await inMarkup(' checked'), '')
})

t.test('a checkout begins as a guest, and the account stays in reach', async (t) => {
  const checkout = (starts: string, inside: string): string => `export function Checkout() {
  const [mode, setMode] = useState(${starts})
  return (
    <form action="/orders" method="post">
      <h1>Your order and where it goes</h1>
      <label>Email <input name="email" type="email" required /></label>
      {mode === 'account' && (
        <>
          <p>Make an account to see your orders</p>
          <label>Password <input name="password" type="password" required /></label>
          ${inside}
        </>
      )}
      <button>Order and pay</button>
    </form>
  )
}
`
  const asGuest = `<button type="button" className="link" onClick={() => setMode('guest')}>Go on without one</button>`
  const first = (code: string, path = 'src/checkout.tsx'): Promise<string> =>
    of('guest-first', { [path]: code })
  const says = await first(checkout("'account'", asGuest))
  t.match(says, "useState('account') → useState('guest')")
  t.match(says, `{mode === 'guest' && (`)
  t.match(
    says,
    `<button type="button" className="link" onClick={() => setMode('account')}>Make an account to see your orders</button>`,
  )
  t.equal(await first(checkout("'guest'", asGuest)), '')
  t.equal(await first(checkout("'account'", '')), '', 'there is no other way')
  t.equal(
    await first(checkout("'account'", asGuest).replace('<p>Make an account to see your orders</p>', '')),
    '',
    'nothing would lead to the account any more',
  )
  const both = checkout("'account'", asGuest).replace(
    '<h1>',
    "<button type='button' onClick={() => setMode('account')}>New here</button><h1>",
  )
  t.notMatch(await first(both), "mode === 'guest'", 'what leads there stands already')
  t.match(patternsOf(await found({ 'src/checkout.tsx': both })), ['guest-first'])
})

t.test('the same in Vue, Svelte and plain markup', async (t) => {
  const first = (path: string, text: string): Promise<string> => of('guest-first', { [path]: text })
  const fields =
    '<p>Konto anlegen und Bestellungen einsehen</p><label>Passwort <input type="password" name="p" /></label>'
  const vue = `<script setup>\nimport { ref } from 'vue'\nconst modus = ref('konto')\n</script>\n\n<template>\n<form><h1>Deine Bestellung und wohin sie geht</h1>\n<div v-if="modus === 'konto'">${fields}<button type="button" @click="modus = 'gast'">Als Gast</button></div>\n<button>Bestellen</button></form>\n</template>\n`
  t.match(
    await first('src/Kasse.vue', vue),
    `<button v-if="modus === 'gast'" type="button" @click="modus = 'konto'">`,
  )
  t.match(await first('src/Kasse.vue', vue), "ref('gast')")
  t.equal(
    await first(
      'src/Kasse.vue',
      vue
        .replace('<button>Bestellen', '<p v-else>Als Gast</p><button>Bestellen')
        .replace('</div>\n<p', '</div><p'),
    ),
    '',
    'an else follows',
  )
  const svelte = `<script>\n  let modus = $state('konto')\n</script>\n\n<form><h1>Deine Bestellung und wohin sie geht</h1>\n{#if modus === 'konto'}<div>${fields}<button type="button" onclick={() => (modus = 'gast')}>Als Gast</button></div>{/if}\n<button>Bestellen</button></form>\n`
  t.match(await first('src/Kasse.svelte', svelte), "{#if modus === 'gast'}")
  const radio = (value: string, more = ''): string =>
    `<label><input type="radio" name="way" value="${value}"${more}> By ${value}</label>`
  const html = (one: string, other: string): string =>
    page(
      `<form action="/go"><h1>Your order and where it goes</h1>${one}${other}<button>Order</button></form>`,
    )
  t.match(
    await first('checkout.html', html(radio('account', ' checked'), radio('guest'))),
    '<input checked type="radio" name="way" value="guest">',
  )
  t.equal(await first('checkout.html', html(radio('account'), radio('guest', ' checked'))), '')
  const yearly = (month: string, says: string): Promise<string> =>
    of('yearly-first', {
      'prices.html': html(radio('monthly', month), radio('yearly'))
        .replace('By yearly', `Each year, ${says}`)
        .replace('By monthly', 'Each month'),
    })
  t.match(
    await yearly(' checked', 'two months free'),
    '<input checked type="radio" name="way" value="yearly">',
  )
  t.equal(await yearly(' checked', 'paid at once'), '', 'it saves nothing')
})
