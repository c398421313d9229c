import t from 'tap'
import { written } from '../../../variants/test/support/trial.js'
import type { Candidate } from '../../port.js'
import { saysOf, wholeBatch } from '../../test/support/workspace.js'

type Files = Readonly<Record<string, string>>
const of = async (pattern: string, files: Files): Promise<string> =>
  saysOf(await wholeBatch(files), pattern).join('\n')

/** The proposal of a pattern, with each of its files as the pull request has it. */
async function composed(
  pattern: string,
  files: Files,
): Promise<{ one: Candidate | undefined; text: string }> {
  const one = (await wholeBatch(files)).proposals.find((other) => other.pattern === pattern)
  const texts = one?.files.map(({ path, edits }) => written(path, files[path] ?? '', edits).text)
  return { one, text: texts?.join('\n') ?? '' }
}

/** A page on which one signs in or up. */
const signIn = (
  state = 'const [isLogin, setIsLogin] = useState(true)',
  turn = '<button type="button" onClick={() => setIsLogin(!isLogin)}>Other way</button>',
  more = '',
): string => `import { useState } from 'react'
export default function Login() {
  ${state}
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  ${more}
  const send = () => (isLogin ? signIn(email, password) : signUp(email, password))
  return (
    <main>
      <h1>{isLogin ? 'Welcome back' : 'Create your account'}</h1>
      <form onSubmit={send}>
        <input type="email" name="email" value={email} onChange={(e) => setEmail(e.target.value)} />
        <input type="password" name="password" value={password} onChange={(e) => setPassword(e.target.value)} />
        <button type="submit">{isLogin ? 'Sign in' : 'Sign up'}</button>
      </form>
      ${turn}
    </main>
  )
}
`
const home = (link: string): string =>
  `export default function Home() {\n  return <main><h1>Seeds for small gardens</h1>${link}</main>\n}\n`
const BEGIN = '<a href="/login">Get started</a>'

t.test('a page for signing in and up begins with signing up where newcomers are led there', async (t) => {
  const first = (
    login: string,
    link = BEGIN,
    more: Files = {},
    path = 'app/login/page.tsx',
  ): Promise<string> => of('sign-up-first', { [path]: login, 'app/page.tsx': home(link), ...more })
  t.equal(await first(signIn()), 'true → false')
  const { one, text } = await composed('sign-up-first', {
    'app/login/page.tsx': signIn(),
    'app/page.tsx': home(BEGIN),
  })
  t.match(text, /useState\(variant\('hero', \{ control: 50, b: 50 \}\) === 'b'\s+\? false\s+: true\)/)
  t.match(
    one?.hypothesis,
    'For visitors who press “Get started” and have no account yet, beginning /login with',
  )
  t.equal(
    await first(
      signIn('const [isSignUp, setIsSignUp] = useState(false)')
        .replaceAll('isLogin', 'isSignUp')
        .replaceAll('setIsLogin', 'setIsSignUp'),
    ),
    'false → true',
  )
  const press = `<button onClick={() => navigate('/login')}>Kostenlos testen</button>`
  t.match(await first(signIn(), press), '→ false', 'code leads there')
  t.match(await first(signIn(), BEGIN, {}, 'src/pages/Login.tsx'), '→ false', 'a list of routes')
  t.equal(await first(signIn(), '<a href="/login">Sign in</a>'), '', 'who has an account is led there')
  t.equal(await first(signIn(), `${BEGIN}<a href="/login">Sign in</a><a href="/login">Account</a>`), '')
  t.match(await first(signIn(), `${BEGIN}<a href="/login">Sign in</a>`), '→ false', 'as many')
  t.equal(
    await first(signIn(), `${BEGIN}<a href="/login"><User /></a><a href="/login">Sign in</a>`),
    '',
    'a sign is for all',
  )
  t.equal(await first(signIn(), '<a href="/start">Get started</a>'), '', 'that leads elsewhere')
  t.equal(
    await first(signIn(), BEGIN, { 'app/sign-up/page.tsx': home('Sign up') }),
    '',
    'another page is for that',
  )
  t.equal(await first(signIn('const [isLogin, setIsLogin] = useState(start)')), '', 'code says it')
  t.equal(await first(signIn(undefined, '')), '', 'nothing turns it')
  const oneWay = '{isLogin && <button onClick={() => setIsLogin(false)}>Other way</button>}'
  t.equal(await first(signIn(undefined, oneWay)), '', 'there is no way back')
  t.match(
    await first(
      signIn(undefined, `${oneWay}{!isLogin && <button onClick={() => setIsLogin(true)}>Back</button>}`),
    ),
    'useState(false)',
  )
  const told = "const [params] = useSearchParams()\n  const mode = params.get('mode')"
  t.equal(await first(signIn(undefined, undefined, told)), '', 'the address says it')
  t.match(await first(signIn(undefined, undefined, told.replace("'mode'", "'redirect'"))), '→ false')
  const kept = "useEffect(() => { if (localStorage.getItem('known')) setIsLogin(true) }, [])"
  t.equal(await first(signIn(undefined, undefined, kept)), '', 'code sets it on arrival')
  t.equal(await first(signIn().replace('signUp(', 'ask(')), '', 'no account is made')
  t.equal(await first(signIn().replace('Other way', 'By invitation alone')), '', 'nobody comes unasked')
  t.equal(await first(signIn(), BEGIN, {}, 'app/partner/login/page.tsx'), '', 'for partners')
  t.equal(
    await first(signIn().replace('type="password"', 'type="text"').replaceAll('assword', 'lace')),
    '',
    'no password',
  )
})

t.test('the same with words, tabs, and in other dialects', async (t) => {
  const first = (path: string, login: string, to = '/login'): Promise<string> =>
    of('sign-up-first', {
      [path]: login,
      'src/pages/Home.tsx': home(`<a href="${to}">Create your account</a>`),
    })
  const mode = signIn(
    "const [mode, setMode] = useState<'signin' | 'signup'>('signin')",
    `{mode === 'signin' ? <button onClick={() => setMode('signup')}>New</button> : <button onClick={() => setMode('signin')}>Known</button>}`,
  ).replaceAll('isLogin', "mode === 'signin'")
  t.equal(
    await first('src/pages/Login.tsx', mode),
    "useState<'signin' | 'signup'>('signin') → useState<'signin' | 'signup'>('signup')",
  )
  t.equal(await first('src/pages/Login.tsx', mode.replace("onClick={() => setMode('signin')}", '')), '')
  const tabs = (second: string): string =>
    signIn(
      '',
      `<Tabs defaultValue="login"><TabsList><TabsTrigger value="login">In</TabsTrigger>${second}</TabsList></Tabs>`,
    ).replaceAll('isLogin', 'known')
  t.match(
    await first('src/pages/Auth.tsx', tabs('<TabsTrigger value="register">New</TabsTrigger>'), '/auth'),
    'defaultValue="register"',
  )
  t.equal(
    await first(
      'src/pages/Auth.tsx',
      tabs('{open && <TabsTrigger value="register">New</TabsTrigger>}'),
      '/auth',
    ),
    '',
    'code decides',
  )
  const fields = '<input type="email" name="email"><input type="password" name="password"><button>Go</button>'
  const vue = (press = 'isLogin = !isLogin'): string =>
    `<script setup>\nimport { ref } from 'vue'\nconst isLogin = ref(true)\nconst send = () => (isLogin.value ? signIn() : signUp())\n</script>\n<template>\n<main><h1>Garden</h1><form @submit.prevent="send">${fields}</form><button type="button" @click="${press}">Other</button></main>\n</template>\n`
  t.equal(await first('src/pages/Login.vue', vue()), 'true → false')
  t.equal(await first('src/pages/Login.vue', vue('open()')), '')
  const svelte = (press: string): string =>
    `<script>\nlet isLogin = $state(true)\nconst send = () => (isLogin ? signIn() : signUp())\n</script>\n<main><h1>Garden</h1><form onsubmit={send}>${fields}</form><button type="button" onclick={() => (isLogin = ${press})}>Other</button></main>\n`
  t.equal(await first('src/routes/login/+page.svelte', svelte('!isLogin')), 'true → false')
  t.equal(await first('src/routes/login/+page.svelte', svelte('other')), '')
})
