import t from 'tap'
import { batch, type Files } from '../../test/support/workspace.js'
import { never, page, proposed } from './support/proposed.js'

t.test('contact-links: a number of the business that is no link', async (t) => {
  const rule = 'contact-links'
  const site = (line: string, path = 'contact.html'): Files => ({ [path]: page(`<h1>Lamps</h1>${line}`) })
  const line = '<p>Phone: (260) 483-1415</p><p>lamps@lumen.shop</p>'
  const [one] = (await batch(site(line))).proposals
  t.equal(one?.name, 'Let visitors call “(260) 483-1415” with a tap')
  t.same(
    one?.files[0]?.edits.map(({ replace }) => replace),
    [
      '<p>Phone: <a href="tel:2604831415">(260) 483-1415</a></p>',
      '<p><a href="mailto:lamps@lumen.shop">lamps@lumen.shop</a></p>',
    ],
  )
  t.equal((await proposed(rule, site('<footer><p>+49 30 902 27 50</p></footer>', 'lamps.html'))).length, 1)
  await never(t, rule, site(line, 'lamps.html'), 'of whom, on any page')
  await never(t, rule, site(line, 'accessibility-contact.html'), 'a text of law')
  const linked = `<a href="tel:2604831415">Call</a>`
  t.same(
    await proposed(rule, site(line + linked)),
    ['Let visitors write to “lamps@lumen.shop” with a tap'],
    'there is a link to the number',
  )
  await never(t, rule, site(`${line}${linked}<a href="mailto:Lamps@lumen.shop">Write</a>`), 'to both')
  t.same(
    await proposed(rule, site(`${line}<a href="tel:2604831420">Call Ann</a>`)),
    ['Let visitors call “(260) 483-1415” with a tap'],
    'another number',
  )
  await never(t, rule, site('<p>Fax: (260) 483-1415</p>'), 'a fax')
  await never(t, rule, site('<dt>Fax</dt><dd>(260) 483-1415</dd>'), 'below its label')
  for (const sample of [
    '(555) 123-4567',
    '+31 20 765 4321',
    '+49 621 123456',
    '+49 30 0000 22',
    '030 77777 22',
  ])
    await never(t, rule, site(`<p>Phone: ${sample}</p>`), 'a sample')
  await never(t, rule, site('<p>Phone: +48 48 572-127-200</p>'), 'the code of the country twice')
  t.equal((await proposed(rule, site('<p>Phone: +48 48 362 17 38</p>'))).length, 1, 'an area')
  for (const sample of ['abc@gmail.com', 'john.doe@lumen.shop', 'info@yourcompany.com'])
    await never(t, rule, site(`<p>${sample}</p>`), sample)
  const called = async (number: string, more: string, lang?: string): Promise<string | undefined> => {
    const files = { 'contact.html': page(`<h1>Lamps</h1><p>${number}</p>`, lang), 'faq.html': page(more) }
    return /tel:([+\d]+)/.exec(JSON.stringify((await batch(files)).proposals))?.[1]
  }
  t.equal(await called('0875.707211', '', 'it'), '+390875707211', 'Italy keeps the zero')
  t.equal(await called('030 902 27 50', '<a href="tel:+49 30 902 27 51">x</a>'), '+49309022750')
  t.equal(await called('(260) 483-1415', '<p>+1 260 483 1420</p>'), '+12604831415')
  t.equal(
    await called('030 902 27 50', '<p>+49 30 902 27 51, +43 1 902 27 51 22</p>'),
    '0309022750',
    'of two',
  )
  t.equal(await called('(260) 483-1415', '<p>+49 30 902 27 51</p>'), '2604831415', 'not of that country')
  t.equal(await called('98103 43806', '<p>+91 98103 43807</p>'), '+919810343806')
  const two = site('<p>(260) 483-1415</p><p>Mobile: 2604831420</p>')
  t.same(await proposed(rule, two), ['Let visitors call either number with a tap'])
  t.equal((await proposed(rule, site('<p>+977 9743223799</p>'))).length, 1)
  await never(t, rule, site('<p>2604831420</p>'), 'it may be anything')
  await never(t, rule, site('<p data-phone>(260) 483-1415</p>'), 'a program may write another one')
  const staff = ['1415', '1420', '1421'].map((one) => `<p>(260) 483-${one}</p>`).join('')
  await never(t, rule, site(staff), 'a list of people')
  const block = site(
    '<p>Tel: (81) 3049-3799</p><p>(81) 99544-1368 / (81) 98611-3970 – Sales</p><p>Fax: (81) 98771-8606</p>',
  )
  const [three] = (await batch({ ...block, 'faq.html': page('+55 81 3049-3799') })).proposals
  t.equal(three?.name, 'Let visitors call each number with a tap')
  t.match(
    JSON.stringify(three?.files),
    '<a href=\\"tel:+5581995441368\\">(81) 99544-1368</a> / <a href=\\"tel:+5581986113970\\">(81) 98611-3970</a> – Sales',
  )
  t.notMatch(JSON.stringify(three?.files), '8771')
})

t.test('contact-links: numbers that a file shows by name', async (t) => {
  const rule = 'contact-links'
  const written = async (files: Files): Promise<string> => JSON.stringify((await batch(files)).proposals)
  const jsx = (data: string, shown: string, more: Files = {}): Files => ({
    'src/pages/Contact.jsx': `const facts = [{ label: 'Hours', value: 'Mon-Fri' }, ${data}]
const PHONE = '(260) 483-1415'
export default ({ open }) => <main><h1>Lamps</h1>${shown}</main>\n`,
    ...more,
  })
  const loop = '{facts.map((one) => <div><h3>{one.label}</h3><p>{one.value}</p></div>)}'
  const phone = `{ label: 'Phone', value: '+1 260 483 1415' }`
  const mail = `{ label: 'Mail', value: 'lamps@lumen.shop' }`
  t.match(
    await written(jsx(`${phone}, ${mail}`, loop)),
    `<p>{one.value === '+1 260 483 1415' ? <a href=\\"tel:+12604831415\\">{one.value}</a> : one.value === 'lamps@lumen.shop' ? <a href=\\"mailto:lamps@lumen.shop\\">{one.value}</a> : one.value}</p>`,
  )
  t.match(await written(jsx(mail, '<p>{PHONE}</p>')), `<a href=\\"tel:2604831415\\">{PHONE}</a>`)
  await never(t, rule, jsx(mail.replace('lamps@', ''), '{open && <p>{PHONE}</p>}'), 'code decides')
  await never(t, rule, jsx(phone.replace('Phone', 'Fax'), loop), 'a fax')
  await never(t, rule, jsx(`${phone}, { href: 'tel:+12604831415' }`, loop), 'the data have an address')
  const header = (path: string): Files => ({
    'src/App.jsx': `import Bar from './${path}'\nimport Contact from './pages/Contact'\nexport default () => <><Bar /><Contact /></>\n`,
    [`src/${path}.jsx`]: 'export const Bar = () => <nav><a href="tel:+12604831415">Call</a></nav>\n',
  })
  await never(t, rule, jsx(phone, loop, header('Header')), 'the header has it')
  t.equal((await proposed(rule, jsx(phone, loop, header('Footer')))).length, 1)
  const vue = `<script setup>\nconst facts = [${phone}, ${mail}]\n</script>
<template><main><h1>Lamps</h1><p v-for="one in facts">{{ one.value }}</p></main></template>\n`
  t.match(
    await written({ 'src/Contact.vue': vue }),
    `<a v-if=\\"one.value === '+1 260 483 1415'\\" href=\\"tel:+12604831415\\">{{ one.value }}</a><a v-else-if=`,
  )
  const svelte = `<script>\nconst facts = [${phone}, ${mail}]\n</script>
<h1>Lamps</h1>{#each facts as one}<p>{one.value}</p>{/each}\n`
  t.match(
    await written({ 'src/Contact.svelte': svelte }),
    `{#if one.value === '+1 260 483 1415'}<a href=\\"tel:+12604831415\\">{one.value}</a>{:else if one.value === 'lamps@lumen.shop'}`,
  )
})

t.test('wrong-number: a link that calls another number than it shows', async (t) => {
  const rule = 'wrong-number'
  const site = (link: string): Files => ({ 'lamps.html': page(`<h1>Lamps</h1>${link}`) })
  const link = (to: string, shown = '(260) 483-1415'): Files => site(`<a href="${to}">${shown}</a>`)
  const [one] = (await batch(link('tel:+12604831420', 'Call <b>(260) 483-1415</b>'))).proposals
  t.same(
    [one?.ruleId, one?.name],
    [rule, 'Let the link call “(260) 483-1415”, the number that the page shows'],
  )
  t.match(JSON.stringify(one?.files), '"replace":"tel:+12604831415"')
  for (const to of [
    'tel:+12604831415',
    'tel:260-483-1415;ext=2',
    'tel:1800LAMPS',
    'tel:911',
    'tel:{{ tel }}',
  ])
    await never(t, rule, link(to), to)
  await never(t, rule, link('tel:2604831415', '(260) 483-1415 or (260) 483-1420'), 'two numbers')
  await never(t, rule, link('tel:2604831415', 'Call us'), 'it shows none')
  t.equal((await proposed(rule, link('tel:'))).length, 1, 'it calls no one')
  t.match(
    JSON.stringify((await batch(link('mailto:hello@example.com?subject=Hi', 'lamps@lumen.shop'))).proposals),
    'mailto:lamps@lumen.shop',
  )
  await never(t, rule, link('mailto:Lamps@lumen.shop', 'lamps@lumen.shop'), 'the same')
  const mail = link('mailto:info@lumen.shop', 'lamps@lumen.shop')
  t.equal((await proposed(rule, mail)).length, 1)
  const others = { 'index.html': page('<h1>Lumen</h1><p>info@lumen.shop</p><a href="lamps.html">Lamps</a>') }
  const both = { ...others, 'about.html': page('<p>Write to info@lumen.shop</p>') }
  await never(t, rule, { ...mail, ...both }, 'the other pages say the address of the link')
  const sample = '<a href="tel:+12605551234">Call us</a>'
  t.equal((await proposed(rule, site(`${sample}<p>Phone: +1 260 483 1415</p>`))).length, 1, 'a sample')
  await never(t, rule, site(sample), 'the page shows no other')
  await never(t, rule, site(`${sample}<p>+1 260 483 1415</p><p>+1 260 483 1420</p>`), 'it shows two')
  const data = '<a data-phone href="tel:2604831420">(260) 483-1415</a>'
  await never(t, rule, site(data), 'a program may write another one')
  const footer = '<footer><a href="tel:+12604831420"><b>(260) 483-1415</b></a></footer>'
  for (const files of [
    { 'src/Footer.jsx': `export const Footer = () => ${footer}\n` },
    { 'src/Footer.vue': `<template>${footer}</template>\n` },
    { 'src/Footer.svelte': `${footer}\n` },
  ])
    t.match(JSON.stringify((await batch(files)).proposals), 'tel:+12604831415')
  const bound = footer.replace('"tel:+12604831420"', '{tel}')
  await never(t, rule, { 'src/Footer.jsx': `export const Footer = ({ tel }) => ${bound}\n` }, 'code decides')
})

t.test('map-link: the address of the business that is no link', async (t) => {
  const rule = 'map-link'
  const site = (body: string, path = 'contact.html'): Files => ({ [path]: page(`<h1>Lamps</h1>${body}`) })
  const directions = 'https://www.google.com/maps/dir/?api=1&destination='
  const line = '<p>Address: 5316 Merchandise Dr, Fort Wayne, IN 46825</p>'
  const [one] = (await batch(site(line))).proposals
  t.equal(one?.name, 'Open directions with a tap on the address “5316 Merchandise Dr, Fort Wayne, IN 46825”')
  t.match(JSON.stringify(one?.files), `<p>Address: <a href=\\"${directions}5316+Merchandise+Dr%2C+Fort`)
  const lines = '<footer><h2>Laden</h2><p>Weberstraße 50<br>45879 Gelsenkirchen</p></footer>'
  const [two] = (await batch(site(lines, 'lamps.html'))).proposals
  t.match(
    JSON.stringify(two?.files),
    `<p><a href=\\"${directions}Weberstra%C3%9Fe+50%2C+45879+Gelsenkirchen\\">Weberstraße 50<br>45879 Gelsenkirchen</a></p>`,
    'one link around two lines',
  )
  const trade =
    '<p>Dachdecker für Essen: Ihr Dachdeckermeister. Dachdecker seit 1970. Dachdeckerei. Dachdecker</p>'
  await never(t, rule, site(`${trade}${lines}`, 'lamps.html'), 'a roofer comes to the house')
  const bold = lines.replace('Weberstraße 50', '<b>Weberstraße 50</b>')
  t.equal((await proposed(rule, site(bold))).length, 1, 'the street may be bold')
  const found = async (said: string): Promise<number> => (await proposed(rule, site(`<p>${said}</p>`))).length
  for (const said of ['24 boulevard Notre Dame, 13006 Marseille', 'Calle Mayor 12, 30001 Murcia'])
    t.equal(await found(said), 1, said)
  t.equal(await found('Rua Ramiro Barcelos 2337, Porto Alegre'), 0, 'samples have no code either')
  t.equal(await found('Corso Dante 45, 82100 Benevento'), 1)
  for (const said of [
    '123 Main Street, Anytown',
    'Musterstraße 12, 12345 Musterstadt',
    'Besuchen Sie uns in der Weberstraße 50 in Gelsenkirchen',
    '12 lamps on our way, each of them new',
    'Dr. Miller, 12 lamps',
  ])
    t.equal(await found(said), 0, said)
  await never(t, rule, site(line, 'lamps.html'), 'of whom, on any page')
  const law = '<footer><p>© 2026 Lamps</p><p>Weberstraße 50, 45879 Gelsenkirchen</p></footer>'
  for (const line of ['© 2026', '2026 All Right Reserved', 'Partita IVA: IT01516690706'])
    await never(t, rule, site(law.replace('© 2026', line)), 'a line of law')
  t.equal((await proposed(rule, site(law.replace('© 2026', 'Nice')))).length, 1)
  await never(t, rule, site('<p>Lumen Srl, Via Elba 1, 86039 Termoli</p>'), 'a company')
  const [named] = (await batch(site('<p>Lumen di Rosa - Via Elba, 1 | 86039 Termoli</p>'))).proposals
  t.match(JSON.stringify(named?.files), `destination=Via+Elba%2C+1%2C+86039+Termoli\\"`, 'only the address')
  const many = (path: string): Files => ({
    ...site(lines, path),
    'index.html': page(`<h1>Lamps</h1><a href="${path}">More</a><a href="faq.html">FAQ</a>`),
  })
  await never(t, rule, many('red-lamp.html'), 'one of many pages')
  t.equal((await proposed(rule, many('about.html'))).length, 1)
  await never(t, rule, site(`<a href="/way">${line}</a>`), 'it is a link')
  await never(t, rule, site(`${line}<iframe src="https://www.google.com/maps/embed"></iframe>`), 'a map')
  await never(t, rule, site(line.replace('<p', '<p data-address')), 'a program may write there')
  const map = '<a href="https://maps.google.com/?q=lamps">Map</a>'
  const footer = (shown: string): Files => ({
    'src/App.jsx': `import { Foot } from './Foot'\nimport { Way } from '${shown}'\nexport default () => <><Way /><Foot /></>\n`,
    'src/Foot.jsx': `export const Foot = () => <footer>${line}</footer>\n`,
    [`src/${shown.slice(2)}.jsx`]: `export const Way = () => <section>${map}</section>\n`,
  })
  await never(t, rule, footer('./components/Way'), 'another part of the page has a map')
  t.equal((await proposed(rule, footer('./pages/Contact'))).length, 1, 'another page has one')
})

t.test('a link that the colours of a site may hide is not made', async (t) => {
  const shown = (styles: string, foot: string): Files => ({
    'index.html': page(`<h1>Lamps</h1>${styles}<footer><p>Phone: (260) 483-1415</p>${foot}</footer>`),
  })
  const rule = 'contact-links'
  const styles = '<link rel="stylesheet" href="style.css">'
  t.equal((await proposed(rule, shown('', ''))).length, 1, 'no styles')
  await never(t, rule, shown(styles, ''), 'it may be blue on black')
  await never(
    t,
    rule,
    shown(styles, '<a class="more" href="faq.html">Questions</a>'),
    'a class gives the colour',
  )
  t.equal(
    (await proposed(rule, shown(styles, '<a href="faq.html">Questions</a>'))).length,
    1,
    'as links beside it',
  )
  t.equal((await proposed(rule, shown(styles, '<i class="text-gray-300">.</i>'))).length, 1, 'Tailwind')
})

t.test('a link keeps the space before it', async (t) => {
  const site = (line: string): Files => ({
    'contact.html': page(`<h1>Lamps</h1><i class="text-gray-500">.</i>${line}`),
  })
  const written = async (line: string) =>
    (await batch(site(line))).proposals[0]?.files[0]?.edits.map(({ replace }) => replace)
  const link = '<a href="tel:2604831415">(260) 483-1415</a>'
  t.same(
    await written('<p class="row"><i class="icon"></i> Phone: (260) 483-1415</p>'),
    [`<p class="row"><i class="icon"></i> <span>Phone: ${link}</span></p>`],
    'beside an icon',
  )
  t.same(await written('<p class="flex">Phone: (260) 483-1415</p>'), [
    `<p class="flex"><span>Phone: ${link}</span></p>`,
  ])
  t.same(await written('<p><b>Phone</b> (260) 483-1415</p>'), [`<p><b>Phone</b> ${link}</p>`])
})

t.test('the same address in other words is one idea', async (t) => {
  const site = (other: string): Files => ({
    'index.html': page(
      '<h1>Lamps</h1><footer>24 Bd Notre Dame, 13006 Marseille</footer><a href="contact.html">Contact</a>',
    ),
    'contact.html': page(`<h1>Contact</h1><p>${other}</p>`),
  })
  t.equal((await proposed('map-link', site('24 boulevard Notre Dame, 13006 Marseille'))).length, 1)
  t.equal((await proposed('map-link', site('18 rue des Abeilles, 13001 Marseille'))).length, 2)
})
