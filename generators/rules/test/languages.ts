import t from 'tap'
import { html } from '../../test/support/sites.js'
import { batch } from '../../test/support/workspace.js'

/** A page of a business with its telephone number, and a form with which visitors book. */
interface Business {
  path: string
  title: string
  words: string
  number: string
  to: string
  fields: readonly (readonly [label: string, token: string])[]
  button: string
}

const BUSINESSES: Readonly<Record<string, Business>> = {
  it: {
    path: 'contatti.html',
    title: 'Prenota il tuo tavolo',
    words: 'Siamo aperti ogni giorno. Scrivici, oppure chiama il nostro ristorante.',
    number: 'Telefono: 0875.707211',
    to: '+390875707211',
    fields: [
      ['Nome', 'given-name'],
      ['Cognome', 'family-name'],
      ['Cellulare', 'tel'],
      ['Indirizzo', 'address-line1'],
      ['CAP', 'postal-code'],
      ['Città', 'address-level2'],
    ],
    button: 'Prenota',
  },
  nl: {
    path: 'contact.html',
    title: 'Maak een afspraak',
    words: 'Welkom bij onze praktijk. Wij zijn ook op zaterdag open voor uw afspraak.',
    number: 'Telefoon: 020 471 2183',
    to: '0204712183',
    fields: [
      ['Voornaam', 'given-name'],
      ['Achternaam', 'family-name'],
      ['Telefoonnummer', 'tel'],
      ['E-mailadres', 'email'],
      ['Straat en huisnummer', 'address-line1'],
      ['Postcode', 'postal-code'],
      ['Woonplaats', 'address-level2'],
    ],
    button: 'Afspraak maken',
  },
  pl: {
    path: 'kontakt.html',
    title: 'Umów wizytę',
    words: 'Zapraszamy do naszego salonu oraz na zabiegi dla każdego. Zobacz nasze usługi.',
    number: 'Telefon: 22 471 21 83',
    to: '+48224712183',
    fields: [
      ['Imię i nazwisko', 'name'],
      ['Telefon', 'tel'],
      ['Kod pocztowy', 'postal-code'],
      ['Miejscowość', 'address-level2'],
    ],
    button: 'Zarezerwuj',
  },
  tr: {
    path: 'iletisim.html',
    title: 'Randevu Al',
    words: 'Bizim için her müşteri çok değerli. Hemen randevu alın veya bize yazın.',
    number: 'Telefon: 0212 471 21 83',
    to: '+902124712183',
    fields: [
      ['Adınız', 'given-name'],
      ['Soyadınız', 'family-name'],
      ['E-posta', 'email'],
      ['Cep telefonu', 'tel'],
      ['Posta kodu', 'postal-code'],
      ['Şehir', 'address-level2'],
    ],
    button: 'Randevu Al',
  },
}

for (const [lang, { path, title, words, number, to, fields, button }] of Object.entries(BUSINESSES))
  t.test(`${lang}: a number as text, and a form that books`, async (t) => {
    const form = fields
      .map(([label], at) => `<p><label>${label} * <input name="f${at}"></label></p>`)
      .join('')
    const body = `<h1>${title}</h1><p>${words}</p><p>${number}</p><form action="/send">${form}<button>${button}</button></form>`
    const { proposals } = await batch({ [path]: html('x', body, lang) }, { count: 20 })
    const edits = (ruleId: string): string =>
      proposals
        .filter((one) => one.ruleId === ruleId)
        .flatMap(({ files }) => files.flatMap((one) => one.edits.map(({ replace }) => replace)))
        .join('\n')
    t.match(edits('contact-links'), `"tel:${to}"`)
    const booking = proposals.find(({ ruleId }) => ruleId === 'form-autofill')
    t.equal(booking?.name, 'Let browsers fill in the booking form')
    const tokens = [...edits('form-autofill').matchAll(/autocomplete="([\w-]+)"/g)].map(([, token]) => token)
    t.same(
      tokens,
      fields.map(([, token]) => token),
    )
  })

t.test('a button that leads nowhere, in Italian', async (t) => {
  const nav = '<nav><a href="prenotazioni.html">Prenotazioni</a> <a href="carte.html">Il menù</a></nav>'
  const { proposals } = await batch({
    'index.html': html('x', `${nav}<h1>Il nostro forno</h1><a class="btn" href="#">Prenota ora</a>`, 'it'),
    'prenotazioni.html': html('x', `${nav}<h1>Il tuo tavolo</h1>`, 'it'),
  })
  const dead = proposals.find(({ ruleId }) => ruleId === 'dead-cta')
  t.equal(dead?.name, 'Lead “Prenota ora” to the page “prenotazioni.html”')
})

t.test('the number of a company is no telephone, and an address may be in any language', async (t) => {
  const proposed = async (line: string, lang: string): Promise<string[]> =>
    (await batch({ 'index.html': html('x', `<footer><p>${line}</p></footer>`, lang) })).proposals.map(
      ({ ruleId }) => ruleId,
    )
  t.same(await proposed('NIP: 526-271-21-83', 'pl'), [])
  t.same(await proposed('ul. Długa 5, 00-238 Warszawa', 'pl'), ['map-link'])
  t.same(await proposed('Prinsengracht 263, 1016 GV Amsterdam', 'nl'), ['map-link'])
  t.same(await proposed('Moda Cad. 12, 34710 Kadıköy', 'tr'), ['map-link'])
})
