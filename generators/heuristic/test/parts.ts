import t from 'tap'
import { batch, page, patternsOf, saysOf } from '../../test/support/workspace.js'

const home = (...parts: string[]): string =>
  `export const Home = () => (\n  <div>\n    ${parts.map((one) => `<${one} />`).join('\n    ')}\n  </div>\n)\n`
const of = async (...parts: string[]): Promise<string[]> =>
  patternsOf(await batch({ 'src/home.tsx': home(...parts) }))

t.test('questions stand after the prices, and a call to act in the middle of a long page', async (t) => {
  t.same(await of('Hero', 'Pricing', 'Team', 'Blog', 'FAQ', 'Footer'), ['questions-at-prices'])
  t.same(await of('Hero', 'Pricing', 'FAQ', 'Team', 'Footer'), [])
  t.same(await of('Hero', 'Team', 'Blog', 'FAQ', 'Footer'), [], 'there are no prices')
  t.same(await of('Hero', 'Team', 'Blog', 'Gallery', 'Offices', 'CTA', 'Footer'), ['call-midway'])
  t.same(await of('Hero', 'Team', 'CTABanner', 'Footer'), [], 'it is not far')
  t.same(await of('Hero', 'Cta', 'Team', 'Blog', 'Gallery', 'Offices', 'Cta', 'Footer'), [], 'it asks twice')
  t.same(await of('Hero', 'Team', 'Blog', 'Gallery', 'CustomersProvider', 'Footer'), [], 'it only carries')
})

t.test('a price stands at the name, where one has to choose before it is seen', async (t) => {
  const product = (between: string): string =>
    `export const Product = ({ product }) => (\n  <div>\n    <h1>{product.name}</h1>\n    ${between}\n    <p>{money(product.price)}</p>\n  </div>\n)\n`
  const has = async (between: string, path = 'src/product.tsx'): Promise<boolean> =>
    patternsOf(await batch({ [path]: product(between) })).includes('price-at-title')
  const choice = '<p>{product.text}</p>\n    <select><option>All of the sizes for you</option></select>'
  t.equal(await has(choice), true)
  t.equal(await has('<p>{product.text}</p>'), false, 'it is near')
  t.equal(await has(choice, 'src/product-card.tsx'), false, 'one of many')
})

t.test('a password is typed once, where the code does nothing else with the second', async (t) => {
  const join = (check: string): string => `export const Register = () => {
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const send = () => {
    ${check}
  }
  return (
    <form onSubmit={send}>
      <h1>Sign up and make your account with us</h1>
      <input type="email" name="email" />
      <div><input type="password" name="password" value={password} onChange={(e) => setPassword(e.target.value)} /></div>
      <div><input type="password" name="confirm" value={again} onChange={(e) => setAgain(e.target.value)} /></div>
      <button type="submit">Create account</button>
    </form>
  )
}
`
  const says = async (check: string, path = 'src/register.tsx'): Promise<string> =>
    saysOf(await batch({ [path]: join(check) }), 'password-once').join('\n')
  const once = await says('if (password !== again) return fail()')
  t.match(once, 'password !== again → false')
  t.notMatch(/→ .*name="confirm"/.exec(once), 'the field is gone')
  t.equal(await says('post({ password, again })'), '', 'the server is sent it')
  t.equal(await says('if (password !== again) return fail(again)\n post(again)'), '')
  t.equal(await says('if (password !== again) return fail()', 'src/profile.tsx'), '')
})

t.test('where there is nothing yet the button that makes the first stands too', async (t) => {
  const list = (inner: string): string =>
    page(
      `<header><h1>All of the projects of your team</h1><a class="btn" href="/new">New project</a></header><div>${inner}</div>`,
    )
  const says = async (inner: string): Promise<string> =>
    saysOf(await batch({ 'projects.html': list(inner) }), 'first-step-where-empty').join()
  t.match(
    await says('<p>No projects yet</p>'),
    '<p>No projects yet</p> <a class="btn" href="/new">New project</a>',
  )
  t.equal(await says('<p>No projects yet</p><button>Make one</button>'), '', 'a way on is there')
  t.equal(await says('<p>No fees</p>'), '')
})

t.test('what is said by a key is repeated by its key, in every language', async (t) => {
  const files = {
    'src/pricing.vue': `<template>\n  <div>\n    <a class="btn" href="/register">{{ $t('go') }}</a>\n    ${"<section><p>{{ $t('more') }}</p></section>\n    ".repeat(30)}<p>{{ $t('card') }}</p>\n  </div>\n</template>\n`,
    'src/locales/en.json':
      '{ "go": "Sign up for the team", "more": "All of it is for you and the team", "card": "No credit card required" }\n',
  }
  t.match(saysOf(await batch(files), 'promise-at-button').join(), `<small>{{ $t('card') }}</small>`)
})

t.test('ways in by another account that are a part of their own come before the form', async (t) => {
  const join = (after: string): string =>
    `export const SignUp = () => (\n  <div>\n    <form>\n      <h2>Sign up and make your account with us</h2>\n      <input type="email" name="email" />\n      <input type="password" name="password" autoComplete="new-password" />\n      <button type="submit">Create account</button>\n    </form>\n    ${after}\n  </div>\n)\n`
  const has = async (after: string): Promise<boolean> =>
    patternsOf(await batch({ 'src/sign-up.tsx': join(after) })).includes('providers-first')
  t.equal(await has('<p>OR</p>\n    <SocialLogin />'), true)
  t.equal(await has('<p>All of the terms hold for you</p>\n    <SocialLogin />'), false)
  t.equal(await has('<SocialIcons />'), false)
})
