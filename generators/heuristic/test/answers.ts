import t from 'tap'
import { batch, filledBatch, page, saysOf, wholeBatch } from '../../test/support/workspace.js'

type Files = Record<string, string>

const linked = (files: Files): Files => ({
  ...files,
  'start/all.html': page(
    Object.keys(files)
      .map((path) => `<a href="/${path}">All of it</a>`)
      .join(''),
  ),
})
const says = async (files: Files, pattern = 'answer-time-at-form'): Promise<string> =>
  saysOf(await wholeBatch(linked(files)), pattern).join()
const exactly = (files: Files): Promise<string> => says(files, 'answer-time-for-soon')

const FIELDS =
  '<input name="name" required><input name="email" type="email" required><textarea name="message" required></textarea>'
const LINES: Record<string, string> = {
  en: 'All of it is here for you and your team.',
  de: 'Hier ist alles für Sie und für die Familie, und das bei uns.',
  fr: 'Tout est ici pour vous et pour la famille, avec nous.',
  es: 'Todo lo que es para ti y para la familia, con los tuyos.',
}
const TITLES: Record<string, string> = { en: 'Contact', de: 'Kontakt', fr: 'Contact', es: 'Contacto' }
const asks = (lang = 'en', { lead = LINES[lang] ?? '', rest = '', action = '/send' } = {}): string =>
  page(
    `<main><h1>${TITLES[lang] ?? ''}</h1><p>${lead}</p><form action="${action}" method="post">${FIELDS}<button type="submit">Send message</button>${rest}</form></main>`,
    lang,
  )
const other = (text: string, lang = 'en'): string =>
  page(`<main><h1>${LINES[lang] ?? ''}</h1><p>${text}</p></main>`, lang)

t.test('how soon one is answered stands below the button, in the words of another page', async (t) => {
  for (const [lang, text, said] of [
    [
      'en',
      'Fill out the form and we’ll get back to you within 24 hours.',
      'We’ll get back to you within 24 hours.',
    ],
    ['en', 'We reply within one working day.', 'We reply within one working day.'],
    [
      'de',
      'Schreiben Sie uns – wir antworten in der Regel innerhalb von 24 Stunden.',
      'Wir antworten in der Regel innerhalb von 24 Stunden.',
    ],
    ['fr', 'Parlez-nous de tout cela. Nous vous répondrons sous 24 h.', 'Nous vous répondrons sous 24 h.'],
    ['es', 'Escríbenos y te responderemos en menos de 24 horas.', 'Te responderemos en menos de 24 horas.'],
  ] as const)
    t.match(await says({ 'contact.html': asks(lang), 'about.html': other(text, lang) }), `>${said}<`, text)
})

t.test('not of others, under a condition, late, or with a promise of its own', async (t) => {
  const of = (text: string, path = 'about.html'): Promise<string> =>
    says({ 'contact.html': asks(), [path]: other(text) })
  const good = 'We reply within 24 hours.'
  t.match(await of(good), good)
  for (const text of [
    'Please reply within 24 hours.',
    'We received your message and will respond within 24 hours.',
    'In an emergency we reply within 24 hours.',
    'If you need a person, we reply within 24 hours.',
    'Our support team replies within 24 hours.',
    'We reply within 10 days.',
    'We reply within 24 hours with a binding price.',
    'We will send it back to you within 24 hours.',
    'We always reply within 24 hours.',
  ])
    t.equal(await of(text), '', text)
  for (const path of ['support.html', 'careers.html', 'help/start.html', 'press.html', 'privacy.html'])
    t.equal(await of(good, path), '', path)
})

t.test(
  'not where the form or what stands around it says so, nor of two times or two addresses',
  async (t) => {
    const about = other('We reply within 24 hours.')
    const files = (contact: string, more: Files = {}): Files => ({
      'contact.html': contact,
      'about.html': about,
      ...more,
    })
    t.match(await says(files(asks())), 'We reply within 24 hours.')
    t.equal(await says(files(asks('en', { lead: 'We answer you within 24 hours, all of us.' }))), '')
    t.equal(
      await says(files(asks('en', { rest: '<p>Reply in <strong>24 hours</strong></p>' }))),
      '',
      'in two texts',
    )
    t.equal(
      await says(files(asks(), { 'more.html': other('We reply within 48 hours.') })),
      '',
      'which of them?',
    )
    t.match(
      await says(files(asks(), { 'careers.html': other('We reply within 48 hours.') })),
      '24 hours',
      'others are answered when they are',
    )
    const form = asks('en', { action: 'https://a.test/1', lead: 'We reply within 24 hours.' })
    const sent = (action: string): Files => ({ 'contact.html': form, 'quote.html': asks('en', { action }) })
    t.match(await says(sent('https://a.test/1')), '24 hours')
    t.equal(await says(sent('https://a.test/2')), '', 'somebody else is asked')
  },
)

t.test('only where somebody asks', async (t) => {
  const about = other('We reply within 24 hours.')
  const of = (form: string): Promise<string> =>
    says({
      'contact.html': page(`<main><h1>Contact</h1><p>${LINES.en ?? ''}</p>${form}</main>`),
      'about.html': about,
    })
  const form = (fields: string, label: string): string =>
    `<form action="/send" method="post">${fields}<button type="submit">${label}</button></form>`
  t.match(await of(form(FIELDS, 'Send')), '24 hours')
  t.equal(await of(form('<input name="email" type="email" required>', 'Send')), '', 'one field')
  t.equal(await of(form(`${FIELDS}<input type="file" name="cv">`, 'Send')), '', 'an application')
  t.equal(await of(form(FIELDS, 'Leave a review')), '', 'nobody answers')
  t.equal(
    await of(
      `<div class="row grid-cols-2">${form(FIELDS, 'Send').replace('<form', '<form class="grid grid-cols-2"')}</div>`,
    ),
    '',
    'it would be a cell of its own',
  )
})

const component = (before: string, after: string): string =>
  `import { useState } from 'react'
export default function Contact() {
  const [sent, setSent] = useState(false)
  return <main><section><h1>Contact us and the team</h1>${before}</section><section>{!sent ? <form onSubmit={send}><input name="name" /><input name="phone" /><input type="email" name="email" /><textarea name="message" /><button type="submit" className="btn w-full mt-4">Send message</button></form> : <div>${after}</div>}</section></main>
}
`

t.test('what is said only once it is sent, or above a long form', async (t) => {
  const of = (before: string, after: string): Promise<string> =>
    says({ 'src/pages/contact.jsx': component(before, after) })
  t.equal(await of('', '<p>Thank you for it!</p>'), '')
  t.match(
    await of('', '<p>Thank you for it! We get back to you within 24 hours.</p>'),
    /<\/button> ?<p[^>]*>(<small>)?We get back to you within 24 hours\.</,
  )
  t.equal(
    await of('', "<p>We've received it and will be in touch within 24 hours.</p>"),
    '',
    'once it is sent',
  )
  t.match(await of('<p>We get back to you within 24 hours.</p>', '<p>Thank you!</p>'), '24 hours')
  t.equal(
    await of('<p>We get back to you within 24 hours.</p>', '<p>Thank you! We reply within 48 hours.</p>'),
    '',
    'which of them?',
  )
  const beside = component('', '<p>Thank you!</p>').replace(
    '{!sent',
    '<p>We get back to you within 24 hours.</p>{!sent',
  )
  t.equal(await says({ 'src/pages/contact.jsx': beside }), '', 'beside the form')
  t.equal(
    await says({
      'src/pages/contact.jsx': `const NOTES = ['Reply within 24 hours']\n${component('', '<p>Thank you! We reply within 24 hours.</p>')}`,
    }),
    '',
    'in a list of the page',
  )
})

t.test('not in a part that stands beside one that says it', async (t) => {
  const form = component('', '<p>Thank you!</p>').replace('Contact()', 'ContactForm()')
  const files = (shown: string): Files => ({
    'src/pages/about.jsx':
      'export default () => <main><h1>All about us and the team</h1><p>We reply within 24 hours.</p></main>\n',
    'src/components/ContactForm.jsx': form,
    'src/components/ContactInfo.jsx':
      'export const ContactInfo = () => <aside><p>We reply within 24 hours.</p></aside>\n',
    'src/pages/contact.jsx': `import ContactForm from '../components/ContactForm'\nimport { ContactInfo } from '../components/ContactInfo'\nexport default () => <main><ContactForm />${shown}</main>\n`,
  })
  t.match(await says(files('')), '24 hours')
  t.equal(await says(files('<ContactInfo />')), '')
  const after = (around: string, more = ''): Promise<string> =>
    says({
      'src/components/ContactForm.jsx': component(
        more,
        '<p>Thank you! We will reply within 24 hours.</p>',
      ).replace('Contact()', 'ContactForm()'),
      'src/pages/contact.jsx': `import ContactForm from '../components/ContactForm'\nexport default () => <main><h1>All about us and the team</h1>${around}<ContactForm /></main>\n`,
    })
  t.match(await after(''), '24 hours', 'it is said only once it is sent')
  t.equal(await after('<p>We respond within 24 hours.</p>'), '', 'the page around it says so before')
  t.equal(
    await after(
      '',
      "<ol>{['Write to us', 'We look at it within 24 hours'].map((one) => <li>{one}</li>)}</ol>",
    ),
    '',
    'the form says what comes next',
  )
})

t.test('the line stands where the button does', async (t) => {
  const of = async (own: string, around = ''): Promise<string> =>
    says({
      'src/pages/contact.jsx': component('', '<p>Thank you for it! We get back to you within 24 hours.</p>')
        .replace('btn w-full mt-4', own)
        .replace('<form', `<form className="px-4 ${around}"`),
    })
  t.match(await of('mt-4 bg-teal-700 px-4 w-full'), 'text-center"')
  t.match(await of('mt-4 bg-teal-700 px-4 w-full sm:w-auto'), 'text-center sm:text-left"')
  t.match(
    await of('mt-4 bg-teal-700 px-4 w-full sm:w-auto', 'text-center'),
    'text-center"',
    'in the middle of all',
  )
  t.match(await of('mt-4 bg-teal-700 px-4 w-full md:w-auto ml-auto'), 'text-center md:text-right"')
})

t.test('what is said to those who ask for one thing is not said to those who ask for another', async (t) => {
  const within = { 'contact.html': asks() }
  t.match(await says({ ...within, 'about.html': other('We reply within 24 hours.') }), '24 hours')
  t.equal(await says({ ...within, 'catering.html': other('We reply within 24 hours.') }), '')
})

t.test('the time itself stands in place of “as soon as possible”', async (t) => {
  const lead = 'Write to us, and we will get back to you as soon as possible.'
  const files = (text: string, own = lead): Files => ({
    'contact.html': asks('en', { lead: own }),
    'about.html': other(text),
  })
  t.match(
    await exactly(files('We reply within 24 hours.')),
    'Write to us, and we will get back to you within 24 hours.',
  )
  const soft = files('We usually reply within 24 hours.')
  t.equal(await exactly(soft), '', 'usually is not always')
  t.match(await says(soft), 'We usually reply within 24 hours.')
  t.equal(
    await exactly(files('We reply within 24 hours.', 'Send it back to us as soon as possible.')),
    '',
    'they are to be quick, and not the site',
  )
  const german = {
    'kontakt.html': asks('de', { lead: 'Wir melden uns schnellstmöglich bei Ihnen.' }),
    'ueber.html': other('Ich antworte in der Regel innerhalb von 24 Stunden.', 'de'),
  }
  t.match(await exactly(german), 'Wir melden uns in der Regel innerhalb von 24 Stunden bei Ihnen.')
})

t.test(
  'not where the page names the time by itself, and later where a form is given its words',
  async (t) => {
    const about = { 'about.html': other('We reply within 1 to 2 business days.') }
    const named = (lead: string): Promise<string> => says({ 'contact.html': asks('en', { lead }), ...about })
    t.match(await named('Write to us and all of it is for you.'), '1 to 2 business days')
    t.equal(await named('<b>Response time</b><br>1–2 business days'), '')
    const part = (label: string): Files => ({
      'src/Contact.tsx': `export const Contact = ({ label }) => (\n  <main><h1>Contact</h1><p>All of it is here for you and your team.</p><form onSubmit={(event) => send(event)}>${FIELDS.replaceAll('required>', 'required />').replace('/></textarea>', '></textarea>')}<button type="submit">{busy ? 'Sending...' : ${label}}</button></form></main>\n)\n`,
      ...about,
    })
    const small = async (label: string): Promise<number> =>
      (await filledBatch(linked(part(label)))).proposals.filter(({ size }) => size === 'small').length
    t.match(await says(part('label')), 'business days', 'with a focus')
    t.equal(await small('label'), 1, 'those who show it may say it')
    t.equal(await small("'Send message'"), 1, 'another page is answered by whoever it is sent to')
    const alike = {
      'contact.html': asks(),
      'about.html': `${asks('en', { lead: 'We reply within 24 hours.' })}`,
    }
    const patterns = async (files: Files): Promise<string[]> =>
      (await batch(linked(files))).proposals.map(({ pattern }) => pattern)
    t.ok((await patterns(alike)).includes('answer-time-at-form'), 'sent to the same address')
  },
)

t.test('a line below a button looks like the quiet ones there, and stands at no edge', async (t) => {
  const beside = (looks: string): Promise<string> =>
    says({
      'contact.html': asks('en', { rest: `<p class="${looks}">0 of 500</p>` }),
      'about.html': other('We reply within 24 hours.'),
    })
  t.match(await beside('text-xs text-gray-400'), 'text-xs text-gray-400">We reply')
  t.match(await beside('text-xs text-gray-400 text-right'), 'text-xs text-gray-400">We reply')
})

t.test('not where a list in the code of the page says it', async (t) => {
  const withList = (list: string): Files => ({
    'src/pages/Contact.tsx': `${list}\nexport const Contact = () => (\n  <main><h1>Contact</h1><p>All of it is here for you and your team.</p><ul>{ways.map((one) => <li key={one.title}>{one.title} {one.description}</li>)}</ul>{sent ? <p>Thank you, we have it. We will get back to you within 24 hours.</p> : <form onSubmit={(event) => send(event)}>${FIELDS.replaceAll('required>', 'required />').replace('/></textarea>', '></textarea>')}<button type="submit">Send message</button></form>}</main>\n)\n`,
  })
  t.match(
    await says(withList("const ways = [{ title: 'Mail', description: 'All that you want to ask' }]")),
    'within 24 hours',
  )
  t.equal(
    await says(
      withList("const ways = [{ title: 'Mail', description: 'We typically respond within 24 hours' }]"),
    ),
    '',
  )
})

t.test('not beside a time that has no figure', async (t) => {
  const good = 'We reply within 24 hours.'
  const beside = (rest: string): Promise<string> =>
    says({ 'contact.html': asks('en', { rest }), 'about.html': other(good) })
  t.match(await beside('<p>We read all of it.</p>'), good)
  t.equal(await beside('<p>We typically respond within a few hours.</p>'), '')
  t.equal(await beside('<p>We answer on the same day.</p>'), '')
  t.equal(await beside('<p>Available 24/7</p>'), '', 'somebody is there at once')
})

t.test('not in a box of one height, which has no room for another line', async (t) => {
  const inBox = (own: string): Promise<string> =>
    says({
      'contact.html': asks()
        .replace('<form ', `<div class="${own}"><form `)
        .replace('</form>', '</form></div>'),
      'about.html': other('We reply within 24 hours.'),
    })
  t.match(await inBox('p-4 overflow-hidden'), 'We reply within 24 hours.')
  t.equal(await inBox('p-4 h-[390px] overflow-y-auto'), '')
})
