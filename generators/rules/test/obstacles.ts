import t from 'tap'
import { batch, type Files } from '../../test/support/workspace.js'
import { never, page, proposed } from './support/proposed.js'

t.test('dead-cta leads a button to the only page that its words name', async (t) => {
  const rule = 'dead-cta'
  const nav = '<nav><a class="btn" href="booking.html">Booking</a> <a href="lamps.html">Lamps</a></nav>'
  const site = (button: string, more = ''): Files => ({
    'index.html': page(`${nav}<h1>Lamps for your home</h1>${button}${more}`),
    'booking.html': page(`${nav}<h1>Visit our workshop</h1>`),
  })
  const [one] = (await batch(site('<a class="btn" href="#">Book a visit</a>'))).proposals
  t.equal(one?.name, 'Lead “Book a visit” to the page “booking.html”')
  t.match(JSON.stringify(one?.files), '<a class=\\"btn\\" href=\\"booking.html\\">')
  t.match(
    JSON.stringify((await batch(site('<button class="btn">See the lamps</button>'))).proposals[0]?.files),
    '<a href=\\"lamps.html\\" class=\\"btn\\">See the lamps</a>',
    'by a word of the address',
  )
  await never(
    t,
    rule,
    site('<button class="big">See the lamps</button>'),
    'no link of the site looks like it',
  )
  const faq = '<button class="btn faq-head">What lamps do you make</button>'
  await never(t, rule, site(faq), 'it may open an answer')
  await never(t, rule, site('<button class="btn">What lamps do you make?</button>'), 'a question')
  await never(t, rule, site('<a class="btn" href="/tour">Book a visit</a>'), 'it leads somewhere')
  await never(t, rule, site('<a class="btn" href="#">Say hello</a>'), 'no page fits')
  await never(t, rule, site('<a class="btn" href="#" data-toggle="x">Book a visit</a>'), 'code may read it')
  const script = `<script>document.querySelector('.btn').onclick = open</script>`
  await never(t, rule, site('<a class="btn" href="#">Book a visit</a>', script), 'a script binds it')
  const two = '<nav><a href="book-a-class.html">Book a class</a></nav>'
  await never(t, rule, site('<a class="btn" href="#">Book a visit</a>', two), 'which of two')
  await never(t, rule, site('<form><button class="btn">Book a visit</button></form>'), 'it sends a form')
})

t.test('dead-cta: components, loops, and the only way to ask', async (t) => {
  const rule = 'dead-cta'
  const site = (body: string, more: Files = {}, way = '<a href="/contact">Contact</a>'): Files => ({
    'src/App.jsx': `import { Home } from './Home'\nexport default () => <><nav>${way}</nav><Home /></>\n`,
    'src/Home.jsx': `import Button from './Button'\nexport const Home = () => <main><h1>Lamps for you</h1>${body}</main>\n`,
    ...more,
  })
  const button = (attributes: string): Files => ({
    'src/Button.jsx': `export default function Button(props) { return <button className="btn"${attributes}>{props.text}</button> }\n`,
  })
  const odd = page('<h1>Lamps</h1><x-((btn>Book now</x-((btn><a href="contact.html">Contact</a>')
  await never(t, rule, { 'index.html': odd }, 'a name that is no expression')
  const part = '<Button text="Book now" />'
  const lead = ['Lead “Book now” to the page “/contact”']
  const [one] = (await batch(site(part, button('')))).proposals
  t.same(one?.name, lead[0])
  t.match(JSON.stringify(one?.files), '<a href=\\"/contact\\"><Button text=\\"Book now\\" /></a>')
  t.same(
    await proposed(rule, site(part, button(' onClick={props.onClick}'))),
    lead,
    'the use gives no handler',
  )
  await never(t, rule, site('<Button text="Book now" onClick={go} />', button('')), 'the use gives it')
  await never(t, rule, site(part, button(' onClick={scrollDown}')), 'its file acts')
  await never(t, rule, site(part), 'its file is not known')
  await never(t, rule, site(`<form>${part}</form>`, button('')), 'it sends a form')
  await never(t, rule, site(`<Card onClick={open}>${part}</Card>`, button('')), 'what is around it acts')
  const native = '<button className="px-4 bg-blue-600">Book now</button>'
  const numbered = (icon: string, around: string): Files =>
    site(`<p className="${around}"><a href="#">${icon}<b>+49 30 90182000</b></a></p>`)
  t.equal((await proposed(rule, numbered('<FaPhone />', 'p'))).length, 1)
  const foreign = (await batch(site('<button className="px-4 bg-blue-600">+234 08110844173</button>')))
    .proposals
  t.match(JSON.stringify(foreign), 'tel:+2348110844173', 'without the zero of the country')
  await never(t, rule, numbered('<FaWhatsapp />', 'p'), 'the sign of a chat')
  await never(
    t,
    rule,
    site('<button className="px-4 bg-blue-600">Free on 10/05/2026</button>', {}, ''),
    'a date',
  )
  await never(t, rule, numbered('<FaPhone />', 'hidden md:block'), 'on wide screens')
  t.same(await proposed(rule, site(`{lamps.map((lamp) => <p key={lamp}>${native}</p>)}`)), lead, 'in a loop')
  t.same(await proposed(rule, site(`<p>${native}</p><div>${native}</div>`)), lead, 'twice')
  await never(t, rule, site('{[1, 2].map(() => <button>{label}</button>)}'), 'code says its words')
  await never(
    t,
    rule,
    site(native, {}, '<button onClick={book}>Book a visit</button>'),
    'code books elsewhere',
  )
  const chat = '<a href="https://wa.me/393404040188">WhatsApp</a>'
  t.same(await proposed(rule, site(native, {}, chat)), ['Lead “Book now” to your WhatsApp chat'])
  const call = '<a href="tel:+393404040188">Call</a>'
  t.same(await proposed(rule, site(native, {}, call)), ['Lead “Book now” to a call'])
  const calls = site('<button className="px-4 bg-blue-600">Call us: +39 340 4040188</button>')
  t.same(await proposed(rule, calls), ['Let a tap on “Call us: +39 340 4040188” call'])
  t.match(JSON.stringify((await batch(calls)).proposals[0]?.files), 'href=\\"tel:+393404040188\\"')
  const stub = { 'src/pages/Contact.jsx': 'export default () => <div>page</div>\n' }
  await never(t, rule, site(native, stub), 'the target has nothing to say')
  await never(t, rule, site('<button className="px-4 bg-blue-600">Add to cart</button>'), 'a cart')
  const vue = (more: string): Files => ({
    'src/App.vue': `<template><nav><a href="/contact">Contact</a></nav><h1>Lamps for you</h1><BaseButton variant="big">Book now</BaseButton></template>`,
    'src/components/BaseButton.vue': `<template><button class="btn"${more}><slot /></button></template>`,
  })
  t.same(await proposed(rule, vue('')), lead)
  await never(t, rule, vue(' @click="open"'), 'its file acts')
})

t.test('carousel-autoplay: what says something stays until visitors turn it', async (t) => {
  const rule = 'carousel-autoplay'
  const reviews = (
    effect: string,
    dots = 'onClick={() => setCurrent(1)}',
    says = '{reviews[current].text}',
  ) => ({
    'src/pages/Reviews.jsx': `import { useEffect, useState } from 'react'
const reviews = [{ text: 'The lamp is bright' }, { text: 'It came in a day' }]
export function Reviews() {
  const [current, setCurrent] = useState(0)
  ${effect}
  return <section><h2>What our customers say</h2><p>${says}</p><button ${dots}>2</button></section>
}
`,
  })
  const turns = (ms: number | string, early = '') =>
    `useEffect(() => {
    ${early}
    const id = setInterval(() => setCurrent((i) => (i + 1) % reviews.length), ${ms})
    return () => clearInterval(id)
  }, [])`
  const [one] = (await batch(reviews(turns(5000)))).proposals
  t.equal(one?.name, 'Let visitors turn the customer reviews themselves')
  t.same(
    one?.files[0]?.edits.map(({ replace }) => replace),
    ['() => {}'],
  )
  t.match(one?.hypothesis, 'turning after 5 seconds')
  const pictures = reviews(turns(5000), undefined, '')['src/pages/Reviews.jsx'].replace(
    '</section>',
    '</section>{lamps.map((lamp) => <p>{lamp.text}</p>)}',
  )
  await never(t, rule, { 'src/pages/Reviews.jsx': pictures }, 'what turns says nothing')
  const byName = `const next = useCallback(() => setCurrent((i) => i + 1), [])
  const prev = () => next()
  useEffect(() => { if (reviews.length < 2) return; const id = setInterval(next, TURN); return () => clearInterval(id) }, [next])`
  const named = reviews(byName, 'onClick={prev}')['src/pages/Reviews.jsx'].replace(
    'export',
    'const TURN = 4000\nexport',
  )
  t.equal((await proposed(rule, { 'src/pages/Reviews.jsx': named })).length, 1, 'arrows by other names')
  await never(t, rule, reviews(turns(5000), ''), 'nothing else turns it')
  const onWide = 'className="hidden md:block" onClick={() => setCurrent(1)}'
  await never(t, rule, reviews(turns(5000), onWide), 'phones have no button')
  await never(t, rule, reviews(turns(12_000)), 'it is slow')
  await never(t, rule, reviews(`const slidesToShow = 3; ${turns(5000)}`), 'several are in view')
  await never(t, rule, reviews(turns(5000), undefined, '<img src={reviews[current].src} />'), 'pictures')
  await never(t, rule, reviews(turns(5000, 'track(current)')), 'the effect does more')
  await never(
    t,
    rule,
    reviews(`${turns(5000)}\n  const again = () => setInterval(() => {}, 10)`),
    'a second timer',
  )
  const swiper = (more: string) => ({
    'src/pages/Hero.vue': `<template><h1>Lamps</h1><Swiper ${more} :autoplay="{ delay: 3000 }"><p v-for="one in all" :key="one.id">{{ one.title }}</p></Swiper></template>\n`,
  })
  t.same(await proposed(rule, swiper('navigation')), ['Let visitors turn the opening slides themselves'])
  t.notMatch(
    JSON.stringify((await batch(swiper('navigation'))).proposals[0]?.files[0]?.edits[0]?.replace),
    'autoplay',
  )
  await never(t, rule, swiper(''), 'no arrows')
  const slick = `import Slider from 'react-slick'
export const LampsCarousel = ({ lamps }) => {
  const settings = {
    dots: true,
    autoplay: true,
  }
  return <Slider {...settings}>{lamps.map((lamp) => <h3>{lamp.title}</h3>)}</Slider>
}
`
  t.same(await proposed(rule, { 'src/pages/LampsCarousel.jsx': slick }), [
    'Let visitors turn the lamps slides themselves',
  ])
  const bootstrap = page(
    `<h1>Lamps</h1><div id="header" class="carousel" data-bs-ride="carousel"><p>Lamps for each room that you have, from Berlin, made by hand since 1912.</p><a data-bs-slide="next">Next</a></div>`,
  )
  t.same(await proposed(rule, { 'index.html': bootstrap }), [
    'Let visitors turn the opening slides themselves',
  ])
  t.match((await batch({ 'index.html': bootstrap })).proposals[0]?.hypothesis, 'after 5 seconds')
  const four = bootstrap.replaceAll('data-bs-', 'data-')
  await never(t, rule, { 'index.html': four }, 'Bootstrap 4 begins again')
})

t.test('hover-only: what a mouse brings out is there for fingers, too', async (t) => {
  const rule = 'hover-only'
  const card = (classes: string, inner: string, path = 'src/pages/Lamps.jsx'): Files => ({
    [path]: `export const Lamps = ({ lamp, add }) => <main><h1>Lamps</h1><div className="group"><div className="${classes}">${inner}</div></div></main>\n`,
  })
  const hidden = 'absolute opacity-0 group-hover:opacity-100'
  const button = '<button onClick={add}>Add to cart</button>'
  const [one] = (await batch(card(hidden, button))).proposals
  t.equal(one?.name, 'Show “Add to cart” on phones, too')
  t.same(one?.conversionTargets[0]?.eventName, 'added_to_cart')
  t.match(one?.files[0]?.edits[0]?.replace, 'absolute lg:opacity-0 group-hover:opacity-100')
  t.match(
    JSON.stringify((await batch(card('hidden group-hover:flex', button))).proposals[0]?.files),
    'flex lg:hidden group-hover:flex',
  )
  t.equal((await proposed(rule, card(`translate-y-4 ${hidden} group-hover:translate-y-0`, button))).length, 1)
  await never(t, rule, card(hidden, '<p>{lamp.description}</p>'), 'a text does nothing')
  await never(t, rule, card(hidden, '<div>Add to cart</div>'), 'it looks like a button, and does nothing')
  await never(t, rule, card(hidden, '<a href="#">Add to cart</a>'), 'it leads nowhere')
  await never(t, rule, card(hidden, '<button>Add to cart</button>'), 'it does nothing')
  t.equal((await proposed(rule, card(hidden, '<form><button>Add to cart</button></form>'))).length, 1)
  await never(t, rule, card(`hidden md:block ${hidden}`, button), 'phones have another one')
  const missing = (card(hidden, button)['src/pages/Lamps.jsx'] ?? '').replace(
    '=> <main>',
    '=> { if (!lamp) { return (<h1>No such lamp</h1>) } return <main>',
  )
  const [apart] = (await batch({ 'src/pages/Lamps.jsx': missing.replace('</main>', '</main> }') })).proposals
  t.same(apart?.topics.at(-1), 'Lamps', 'and not the heading of a lamp that is missing')
  await never(t, rule, card('opacity-100 group-hover:opacity-100', button), 'it is shown')
  await never(t, rule, card('md:opacity-0 group-hover:opacity-100', button), 'it is shown on phones')
  await never(t, rule, card(`${hidden} inset-0 bg-black/50`, button), 'it would darken the picture')
  await never(t, rule, card(hidden, '<button onClick={add}>Remove</button>'), 'it tidies up')
  await never(t, rule, card(hidden, '<img src="/lamp.jpg" alt="A lamp" />'), 'a second picture')
  await never(t, rule, card(hidden, button, 'src/pages/ManageLamps.jsx'), 'a page of the team')
  const list = `const lamps = [{ title: 'A' }, { title: 'B' }]
export const Lamps = () => <main><h1>Lamps</h1>{lamps.map((lamp) => <p className="${hidden}">{lamp.title} <a href="/cart">Add to cart</a></p>)}</main>\n`
  t.equal(
    (await batch({ 'src/pages/Lamps.jsx': list })).proposals[0]?.files[0]?.edits[0]?.replace.split('lg:')
      .length,
    2,
    'an element of a list is changed once',
  )
})

t.test('fixed-wait: a timer before a page is shown', async (t) => {
  const rule = 'fixed-wait'
  const site = (effect: string, path = 'src/pages/Lamps.jsx'): Files => ({
    [path]: `import { useEffect, useState } from 'react'
export function Lamps() {
  const [loading, setLoading] = useState(true)
  const [visible, setVisible] = useState(true)
  useEffect(() => { ${effect} }, [])
  return loading && visible ? <p>Wait</p> : <h1>Lamps for your home</h1>
}
`,
  })
  const wait = (done: string, ms: number): string =>
    `const timer = setTimeout(() => { ${done} }, ${ms}); return () => clearTimeout(timer)`
  const [one] = (await batch(site(wait('setLoading(false)', 1500)))).proposals
  t.equal(one?.name, 'Show “Lamps for your home” without the wait of 1.5 seconds')
  t.same(
    one?.files[0]?.edits.map(({ find, replace }) => [find, replace]),
    [['1500', '0']],
  )
  const lost =
    site(`${wait('setLoading(false)', 1500)} }, [])
  useEffect(() => {`)['src/pages/Lamps.jsx'] ?? ''
  t.same(
    await proposed(rule, {
      'src/pages/Lamps.jsx': lost.replace(
        '  return loading',
        '  if (!visible) return <h1>Sold out</h1>\n  return loading',
      ),
    }),
    ['Show “Lamps for your home” without the wait of 1.5 seconds'],
    'it is named after what visitors come for',
  )
  const screen = wait("document.body.style.overflow = ''; setVisible(false)", 1000)
  t.same(await proposed(rule, site(screen, 'src/pages/LoadingScreen.jsx')), [
    'Show the site without the wait of 1 second',
  ])
  await never(t, rule, site(screen), 'a message that goes')
  await never(t, rule, site(wait('setLoading(false)', 300)), 'a movement')
  await never(t, rule, site(`fetch('/lamps').then(show); ${wait('setLoading(false)', 1500)}`), 'it loads')
  await never(t, rule, site(wait('setLoading(false); show()', 1500)), 'it does more')
})

t.test('picture-link: pictures of cards whose link leads to the page of the thing', async (t) => {
  const rule = 'picture-link'
  const image = '<img src={room.photo} alt={room.name} className="w-full h-48 object-cover" />'
  const frame = (inside = image): string => `<div className="relative overflow-hidden">${inside}</div>`
  const details = `<Link to={\`/rooms/\${room.id}\`}>View room</Link>`
  const rooms = (shown: string, more = details, card = 'article key={room.id}'): Files => ({
    'src/pages/Rooms.jsx': `import { Link } from 'react-router-dom'
export const Rooms = ({ rooms, open }) => <main><h1>Our rooms</h1>
  {rooms.map((room) => <${card}>${shown}<h3>{room.name}</h3>${more}</${card.split(' ')[0]}>)}</main>\n`,
  })
  const { proposals } = await batch(rooms(frame()))
  t.same(
    proposals.flatMap(({ ruleId, name, files }) =>
      ruleId === rule ? [name, ...(files[0]?.edits.map(({ replace }) => replace) ?? [])] : [],
    ),
    [
      'Let the pictures of the rooms lead to them, too',
      `<Link to={\`/rooms/\${room.id}\`} className="contents">${frame()}</Link>`,
    ],
  )
  const found = async (files: Files): Promise<number> => (await proposed(rule, files)).length
  const heart = frame(`${image}<button onClick={() => save(room)}>Save</button>`)
  t.match(JSON.stringify((await batch(rooms(heart))).proposals), /contents[^<]*<img/, 'a button beside it')
  const inCode = image.replace('<img', '{room.photo && <img').replace('/>', '/>}')
  t.match(
    JSON.stringify((await batch(rooms(frame(inCode)))).proposals),
    /contents[^<]*<div/,
    'all of the frame',
  )
  await never(t, rule, rooms(`<Link to={\`/rooms/\${room.id}\`}>${image}</Link>`), 'it is a link')
  const chosen = { 'src/pages/Cart.jsx': rooms(frame())['src/pages/Rooms.jsx'] ?? '' }
  await never(t, rule, chosen, 'they have chosen it')
  await never(
    t,
    rule,
    rooms(frame(), details, 'article key={room.id} onClick={() => open(room)}'),
    'the card',
  )
  await never(t, rule, rooms(frame(image.replace('/>', 'onClick={open} />'))), 'the picture opens something')
  await never(t, rule, rooms(frame(), details, 'Card {...room}'), 'a handler may be among the properties')
  const spread = details.replace('}>', '} className="after:absolute after:inset-0">')
  await never(t, rule, rooms(frame(), spread), 'the link lies over the card')
  const cover = '<div className="absolute inset-0 bg-black/20"><button>Save</button></div>'
  await never(t, rule, rooms(frame(image + cover)), 'a layer lies over the picture')
  const clear = '<div className="absolute inset-0 pointer-events-none"><button>Save</button></div>'
  t.equal(await found(rooms(frame(image + clear))), 1, 'a finger goes through that layer')
  await never(t, rule, rooms(frame(), `{room.isFree && ${details}}`), 'some cards have no link')
  const other = details.replace('/rooms/', '/suites/')
  await never(t, rule, rooms(frame(), details + other), 'two pages')
  await never(t, rule, rooms(frame(), details.replace('/rooms/', '/blog/')), 'an article')
  await never(t, rule, rooms(frame(), details.replaceAll('room.id', 'open.id')), 'the page of another thing')
  await never(
    t,
    rule,
    rooms(frame(image.replace('w-full h-48 object-cover', 'photo'))),
    'its layout is not known',
  )
  const cards = rooms(image.replace('w-full h-48 object-cover', 'card-img-top'))
  t.match(JSON.stringify((await batch(cards)).proposals), /id}`}><img/, 'a card of Bootstrap')
  const own = {
    'src/pages/Home.jsx': `import { ServiceCard } from '../ServiceCard'\nexport const Home = () => <main><h1>Lamps</h1><ServiceCard /></main>\n`,
    'src/ServiceCard.jsx': `import { Link } from 'react-router-dom'
export const ServiceCard = ({ slug, image }) => <article><img src={image} className="w-full" /><Link to={\`/services/\${slug}\`}>More</Link></article>\n`,
  }
  t.same(
    await proposed(rule, own),
    ['Let the pictures of the services lead to them, too'],
    'what one card is given',
  )
  const vue = `<template><main><h1>Rooms</h1><article v-for="room in rooms" :key="room.id">
  <div class="relative overflow-hidden"><img :src="room.photo" class="w-full object-cover"></div>
  <RouterLink :to="\`/rooms/\${room.id}\`">View room</RouterLink></article></main></template>\n`
  t.match(
    JSON.stringify((await batch({ 'src/pages/Rooms.vue': vue })).proposals),
    /<RouterLink :to=[^>]*contents[^<]*<div/,
  )
  const svelte = `<main><h1>Rooms</h1>{#each rooms as room}<article><img src={room.photo} class="w-full object-cover" />
  <a href="/rooms/{room.id}">View room</a></article>{/each}</main>\n`
  t.match(
    JSON.stringify((await batch({ 'src/routes/rooms/+page.svelte': svelte })).proposals),
    /<a href=[^>]*contents[^<]*<img/,
  )
})
