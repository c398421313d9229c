/** Small sites as teams write them, by path. */

const nav = `<nav><a href="index.html">Home</a> <a href="lamps.html">Lamps</a> <a href="plans.html">Care plans</a> <a href="contact.html">Contact</a> <a href="cart.html">Cart</a></nav>`

export const html = (title: string, body: string, lang = 'en'): string => `<!doctype html>
<html lang="${lang}">
  <head>
    <meta charset="utf-8">
    <title>${title}</title>
  </head>
  <body>
${body}
  </body>
</html>
`

const shopPage = (title: string, body: string): string =>
  html(
    `${title} - Lumen`,
    `    ${nav}
    <main>
${body}
    </main>
    <footer><a href="imprint.html">Imprint</a> <a href="shipping.html">Shipping</a></footer>`,
  )

/**
 * A shop of 13 files: two plans, a sign-up form that asks for company and telephone, a contact form, an
 * opening.
 */
export const PLAIN_SHOP: Readonly<Record<string, string>> = {
  'index.html': shopPage(
    'Lamps made by hand',
    `      <section class="hero">
        <h1>Lamps that last a lifetime</h1>
        <p>Every lamp is made by hand in our workshop in Porto.</p>
      </section>
      <section>
        <h2>New this winter</h2>
        <div class="card"><h3>The reading lamp</h3><p>Warm light for long evenings.</p><a href="lamps.html">See the lamps</a></div>
      </section>`,
  ),
  'lamps.html': shopPage(
    'Lamps',
    `      <h1>Our lamps</h1>
      <div class="grid">
        <div class="card"><h3>Reading lamp</h3><p>€90</p><button class="btn" data-sku="r1">Add to cart</button></div>
        <div class="card"><h3>Desk lamp</h3><p>€110</p><button class="btn" data-sku="d1">Add to cart</button></div>
      </div>`,
  ),
  'plans.html': shopPage(
    'Care plans',
    `      <h1>Care for your lamp</h1>
      <div class="plans">
        <div class="plan"><h3>Basic</h3><p>€4 per month</p><ul><li>New bulbs</li></ul><a class="btn" href="signup.html?plan=basic">Choose Basic</a></div>
        <div class="plan"><h3>Complete</h3><p>€7 per month</p><ul><li>New bulbs</li><li>Yearly service</li></ul><a class="btn" href="signup.html?plan=complete">Choose Complete</a></div>
      </div>
      <p>You can cancel any time.</p>`,
  ),
  'signup.html': shopPage(
    'Create an account',
    `      <h1>Create your account</h1>
      <form id="signup">
        <div class="field"><label for="email">Email</label> <input id="email" name="email" type="email" required></div>
        <div class="field"><label for="password">Password</label> <input id="password" name="password" type="password" required></div>
        <div class="field"><label for="company">Company</label> <input id="company" name="company"></div>
        <div class="field"><label for="phone">Telephone</label> <input id="phone" name="phone" type="tel"></div>
        <button class="btn" type="submit">Submit</button>
      </form>
      <script src="js/signup.js"></script>`,
  ),
  'contact.html': shopPage(
    'Contact',
    `      <h1>Write to us</h1>
      <p>We reply within two working days.</p>
      <form action="https://formspree.io/f/xyzabc" method="post">
        <div class="field"><label for="name">Your name</label> <input id="name" name="name" required></div>
        <div class="field"><label for="mail">Email</label> <input id="mail" name="email" type="email" required></div>
        <div class="field"><label for="tel">Phone</label> <input id="tel" name="phone" type="tel" required></div>
        <div class="field"><label for="text">Message</label> <textarea id="text" name="message" required></textarea></div>
        <button class="btn" type="submit">Send</button>
      </form>`,
  ),
  'cart.html': shopPage(
    'Cart',
    `      <h1>Your cart</h1>
      <div id="lines"></div>
      <div class="coupon"><label for="code">Promo code</label> <input id="code" name="coupon"> <button class="btn" type="button">Apply</button></div>
      <a class="btn" href="checkout.html">Go to checkout</a>
      <script src="js/cart.js"></script>`,
  ),
  'shipping.html': shopPage(
    'Shipping and returns',
    `      <h1>Shipping and returns</h1>
      <p>Free returns within 30 days. We ship from Porto twice a week.</p>`,
  ),
  'imprint.html': shopPage('Imprint', `      <h1>Imprint</h1>\n      <p>Lumen, Rua das Flores 1, Porto</p>`),
  '404.html': shopPage(
    'Not found',
    `      <h1>Page not found</h1>\n      <p>The page that you are looking for has moved.</p>`,
  ),
  'style.css': 'body { font-family: serif }\n.btn { background: #222; color: #fff }\n',
  'js/signup.js': `const form = document.getElementById('signup')
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const email = document.getElementById('email').value
  const password = document.getElementById('password').value
  await fetch('/api/accounts', { method: 'POST', body: JSON.stringify({ email, password }) })
  location.href = 'welcome.html'
})
`,
  'js/cart.js': `const lines = JSON.parse(localStorage.getItem('cart') || '[]')
document.getElementById('lines').textContent = lines.length + ' lamps'
`,
  'README.md': '# Lumen\n\nThe shop of a lamp maker.\n',
}

/** A program for project plans in React. */
export const REACT_SITE: Readonly<Record<string, string>> = {
  'package.json': '{"name":"tasks","dependencies":{"react":"18"}}\n',
  'src/App.jsx': `import { Home } from './pages/Home'
import { SignUp } from './components/SignUp'

export default function App() {
  return location.pathname === '/signup' ? <SignUp /> : <Home />
}
`,
  'src/pages/Forgot.jsx': 'export const Forgot = () => <h1>Reset your password</h1>\n',
  'src/pages/Home.jsx': `import { Pricing } from '../components/Pricing'

export function Home() {
  return (
    <main>
      <section className="hero">
        <h1>Plan your projects together</h1>
        <p>Tasks, dates and people in one place for the whole team.</p>
        <a className="btn" href="/signup">Sign up</a>
        <a className="btn" href="/tour">Take the tour</a>
      </section>
      <Pricing />
      <p>No credit card required. Your account is free: a free account holds three projects.</p>
      <a className="btn btn-secondary" href="/blog">Read the blog</a>
    </main>
  )
}
`,
  'src/components/Pricing.jsx': `export function Pricing() {
  return (
    <div className="pricing">
      <div className="tier"><h3>Starter</h3><p>$9 per month</p><a href="/signup?plan=starter">Choose</a></div>
      <div className="tier"><h3>Team</h3><p>$29 per month</p><a href="/signup?plan=team">Choose</a></div>
      <div className="tier"><h3>Company</h3><p>$99 per month</p><a href="/signup?plan=company">Choose</a></div>
    </div>
  )
}
`,
  'src/components/SignUp.jsx': `import { useState } from 'react'
import { register } from '../api'

export function SignUp() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [confirm, setConfirm] = useState('')
  const [company, setCompany] = useState('')

  async function onSubmit(event) {
    event.preventDefault()
    if (password !== confirm) return alert('The passwords differ')
    await register({ email, password })
  }

  return (
    <form onSubmit={onSubmit}>
      <h1>Create your account</h1>
      <label>Email <input type="email" value={email} onChange={(e) => setEmail(e.target.value)} /></label>
      <label>Company <input value={company} onChange={(e) => setCompany(e.target.value)} /></label>
      <label>Password <input type="password" value={password} onChange={(e) => setPassword(e.target.value)} /></label>
      <label>Repeat the password <input type="password" value={confirm} onChange={(e) => setConfirm(e.target.value)} /></label>
      <button type="submit">Submit</button>
    </form>
  )
}
`,
  'src/api.js': `export const register = (account) => fetch('/api/register', { method: 'POST', body: JSON.stringify(account) })\n`,
}

/** A shop in Vue. */
export const VUE_SITE: Readonly<Record<string, string>> = {
  'package.json': '{"name":"tea","dependencies":{"vue":"3"}}\n',
  'src/App.vue': `<template>
  <router-view />
</template>
`,
  'src/views/CartView.vue': `<script setup>
import { ref } from 'vue'
const items = ref([])
</script>

<template>
  <main>
    <h1>Your cart</h1>
    <div v-if="items.length === 0" class="empty">
      <p>Your cart is empty.</p>
    </div>
    <div v-else>
      <a class="btn" href="/checkout">Go to checkout</a>
      <a class="btn" href="/tea">Continue shopping</a>
    </div>
  </main>
</template>
`,
  'server/api/messages.post.js':
    'export default defineEventHandler(async (event) => store(await readBody(event)))\n',
  'src/views/ContactView.vue': `<script setup>
import { ref } from 'vue'
const name = ref('')
const email = ref('')
const phone = ref('')
const message = ref('')
async function send() {
  const body = JSON.stringify({ name: name.value, email: email.value, phone: phone.value, message: message.value })
  await fetch('/api/messages', { method: 'POST', body })
}
</script>

<template>
  <main>
    <h1>Contact us</h1>
    <form @submit.prevent="send">
      <label>Your name <input v-model="name"></label>
      <label>Your email <input v-model="email" type="email" required></label>
      <label>Your phone <input v-model="phone" type="tel"></label>
      <label>Your message <textarea v-model="message"></textarea></label>
      <button type="submit">Send</button>
    </form>
  </main>
</template>
`,
}

/** A booking page in SvelteKit, with the server code that receives its form. */
export const SVELTE_SITE: Readonly<Record<string, string>> = {
  'package.json': '{"name":"studio","dependencies":{"@sveltejs/kit":"2"}}\n',
  'src/routes/+page.svelte': `<section class="hero">
  <h1>Yoga in the old mill</h1>
  <p>Small classes for beginners and for people who come back.</p>
  <a class="button" href="/booking">Book a class</a>
  <a class="button" href="#see">Learn more</a>
</section>
<section id="see">
  <h2>Come and see</h2>
  <p>We reply within two days, and the first class is a trial.</p>
</section>
`,
  'src/routes/booking/+page.svelte': `<h1>Book your class</h1>
<form method="POST">
  <label>Name <input name="name" required></label>
  <label>Email <input name="email" type="email" required></label>
  <label>Phone <input name="phone"></label>
  <label>How did you hear about us? <input name="heard"></label>
  <label><input type="radio" name="class" value="morning"> Morning class</label>
  <label><input type="radio" name="class" value="evening"> Evening class (recommended for beginners)</label>
  <button>Submit</button>
</form>
`,
  'src/routes/booking/+page.server.ts': `import { saveBooking } from '$lib/bookings'

export const actions = {
  default: async ({ request }) => {
    const data = await request.formData()
    await saveBooking({ name: data.get('name'), email: data.get('email'), class: data.get('class') })
  },
}
`,
  'src/lib/bookings.ts': `export async function saveBooking(booking: object) {\n  console.log(booking)\n}\n`,
}

export const GERMAN_PAGE: Readonly<Record<string, string>> = {
  'warenkorb.html': html(
    'Tischlerei Brandt',
    `    <nav><a href="index.html">Start</a> <a class="btn" href="angebot.html">Angebot anfordern</a></nav>
    <main>
      <h1>Möbel nach Maß aus Ihrer Region</h1>
      <p>Wir bauen Tische, Schränke und Betten für Ihr Zuhause.</p>
      <h2>Ihr Warenkorb</h2>
      <p>Wir liefern innerhalb von zwei Werktagen.</p>
      <form action="https://formspree.io/f/xyzabc" method="post">
        <div><label for="g">Gutscheincode</label> <input id="g" name="gutschein"></div>
        <button class="btn">Jetzt kaufen</button>
      </form>
    </main>`,
    'de',
  ),
}

export const FRENCH_PAGE: Readonly<Record<string, string>> = {
  'panier.html': html(
    'Votre panier',
    `    <nav><a href="index.html">Accueil</a> <a href="contact.html">Contact</a></nav>
    <main>
      <h1>Votre panier</h1>
      <p>Les lampes sont pour vous et pour votre maison.</p>
      <div class="code"><label for="c">Code promo</label> <input id="c" name="code"> <button class="btn">Appliquer</button></div>
      <a class="btn" href="commande.html">Passer la commande</a>
    </main>`,
    'fr',
  ),
}
