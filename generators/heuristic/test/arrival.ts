import t from 'tap'
import { written } from '../../../variants/test/support/trial.js'
import type { Candidate } from '../../port.js'
import { saysOf, wholeBatch } from '../../test/support/workspace.js'
import { inSeconds } from '../mechanisms/arrival/timers.js'

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
  t.equal(
    await first(signIn(), '<a href="/login">Sign in</a>', { 'app/refer/page.tsx': home(BEGIN) }),
    '',
    'few come by that page',
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

const APP = 'src/App.tsx'
/** A program that shows something before its page. */
const app = (
  runs = 'const timer = setTimeout(() => setLoading(false), 2500)\n    return () => clearTimeout(timer)',
  shows = 'if (loading) return <Preloader />',
  needs = ', []',
): string => `import { useEffect, useState } from 'react'
export default function App() {
  const [loading, setLoading] = useState(true)
  useEffect(() => {
    ${runs}
  }${needs})
  ${shows}
  return (
    <main>
      <h1>Seeds for small gardens</h1>
      <p>All of them are sown by hand</p>
    </main>
  )
}
`

t.test('a page that waits for nothing but a timer is there at once', async (t) => {
  const once = (code: string, path = APP, more: Files = {}): Promise<string> =>
    of('page-at-once', { [path]: code, ...more })
  t.equal(await once(app()), 'true → false')
  const { one, text } = await composed('page-at-once', { [APP]: app() })
  t.match(text, /useState\(\s*variant\('hero', \{ control: 50, b: 50 \}\) === 'b'\s+\? false\s+: true\)/)
  t.match(one?.hypothesis, 'and not after 2.5 seconds of a loading screen')
  t.match(await once(app(), 'app/page.tsx'), 'false', 'a start page')
  t.equal(await once(app(), 'src/pages/Prices.tsx'), '', 'a page further in')
  t.equal(await once(app(), 'app/dashboard/layout.tsx'), '', 'who is there already waits for nothing else')
  t.equal(await once(app(undefined, '')), '', 'nothing is shown')
  t.equal(await once(app(undefined, 'if (loading) return <PageSkeleton />')), '', 'it stands for data')
  t.match(
    await once(app(undefined, 'if (loading) return <div className="fixed inset-0 z-50"><Logo /></div>')),
    'false',
  )
  t.equal(await once(app(undefined, 'if (loading) return <p>Sorry</p>')), '', 'that is no screen')
  t.equal(await once(app().replace('2500', '400')), '', 'a moment')
  t.equal(await once(app().replace('2500', '1400')), '', 'hardly felt')
  t.match(await once(app().replace('2500', '1500')), 'false')
  t.same([1000, 1500, 2000].map(inSeconds), ['1 second', '1.5 seconds', '2 seconds'])
  t.equal(await once(app().replace('2500', 'wait')), '', 'nobody knows how long')
  t.match(await once(`const wait = 3 * 1000\n${app().replace('2500', 'wait')}`), 'false')
  t.equal(await once(app('fetch("/a").then(() => setLoading(false))')), '', 'data comes')
  t.equal(
    await once(app('window.addEventListener("load", go); setTimeout(() => setLoading(false), 2500)')),
    '',
    'so may this',
  )
  t.equal(await once(app(undefined, undefined, ', [user]')), '', 'somebody has to be there')
  t.equal(await once(app(undefined, undefined, '')), '', 'each rendering')
  t.equal(await once(app().replace('<h1>', '<h1 onClick={() => setLoading(true)}>')), '', 'it begins again')
  t.equal(
    await once(app().replace('<h1>', '<h1 onClick={() => setLoading(false)}>')),
    '',
    'something else ends it',
  )
  t.equal(
    await once(app().replace("'react'", "'react'\nimport '@capacitor/core'")),
    '',
    'an app that is installed',
  )
  t.equal(await once(app().replaceAll(/oading/g, 'ocked')), '', 'that is something else')
  const faded = app(
    'setTimeout(() => {\n      setFaded(true)\n      setTimeout(() => setLoading(false), 500)\n    }, 2000)',
  )
  t.match(
    (await composed('page-at-once', { [APP]: faded })).one?.hypothesis,
    'after 2.5 seconds',
    'one after the other',
  )
  const vue = `<script setup>\nimport { onMounted, ref } from 'vue'\nconst isLoading = ref(true)\nonMounted(() => {\n  setTimeout(() => {\n    isLoading.value = false\n  }, 2000)\n})\n</script>\n<template>\n<div><Preloader v-if="isLoading" /><main v-else><h1>Seeds</h1></main></div>\n</template>\n`
  t.equal(await once(vue, 'src/App.vue'), 'true → false')
  t.equal(await once(vue.replace('setTimeout', 'load'), 'src/App.vue'), '')
  const svelte = `<script>\nimport { onMount } from 'svelte'\nlet loading = $state(true)\nonMount(() => {\n  setTimeout(() => (loading = false), 2000)\n})\n</script>\n{#if loading}<Preloader />{:else}<main><h1>Seeds</h1></main>{/if}\n`
  t.equal(await once(svelte, 'src/routes/+page.svelte'), 'true → false')
  t.equal(await once(svelte.replace('onMount(() =>', 'whenThere(() =>'), 'src/routes/+page.svelte'), '')
})

t.test('a part of its own file that goes by time alone', async (t) => {
  const part = (end = 'setShown(false)', more = ''): string => `import { useEffect, useState } from 'react'
export function Preloader({ onComplete, duration = 1800 }) {
  const [shown, setShown] = useState(true)
  useEffect(() => {
    ${more}
    const timer = setTimeout(() => { ${end} }, duration)
    return () => clearTimeout(timer)
  }, [duration])
  if (!shown) return null
  return <div className="fixed inset-0 z-50"><Logo /></div>
}
`
  const home = (shown: string, before = ''): string =>
    `import { Preloader } from './Preloader'\nexport default function App() {\n  ${before}\n  return (\n    <div>\n      ${shown}\n      <main><h1>Seeds for small gardens</h1><p>All of them are sown by hand</p></main>\n    </div>\n  )\n}\n`
  const once = (shown: string, own = part(), before = ''): Promise<string> =>
    of('page-at-once', { [APP]: home(shown, before), 'src/Preloader.tsx': own })
  t.match(await once('<Preloader />'), /→ <div>\s+<main>/)
  const { one, text } = await composed('page-at-once', {
    [APP]: home('<Preloader duration={3000} />'),
    'src/Preloader.tsx': part(),
  })
  t.match(one?.hypothesis, 'after 3 seconds', 'as it is told there')
  t.match(text, "variant('hero'")
  t.equal(await once('{open && <Preloader />}'), '', 'code decides')
  t.equal(await once('<Preloader until={data} />'), '', 'it is told more')
  t.equal(await once('<Preloader />', part(undefined, 'await fetch("/a")')), '', 'it waits for data')
  t.equal(await once('<Preloader />', part().replace('fixed inset-0', 'inline')), '', 'it stands in the page')
  const ends = part('onComplete()')
  t.equal(await once('<Preloader />', ends), '', 'who shows it ends it')
  const state = 'const [loading, setLoading] = useState(true)'
  const told = '{loading && <Preloader onComplete={() => setLoading(false)} />}'
  t.equal(await once(told, ends, state), 'true → false')
  t.equal(
    await once(told, ends, `${state}\n  const { data } = useQuery(() => setLoading(false))`),
    '',
    'so does data',
  )
  t.equal(await once(told, ends.replace('onComplete() }', '}'), state), '', 'nothing calls it')
})

const POP = 'src/components/LeadPopup.tsx'
/** An offer that opens by itself. */
const popUp = (
  runs = 'const timer = setTimeout(() => setOpen(true), 4000)\n    return () => clearTimeout(timer)',
  box = 'className="fixed inset-0 z-50 flex items-center"',
  inner = '<h2>A tenth off your first seeds</h2><form action="/news"><input type="email" name="email" /><button>Send me the code</button></form><button onClick={() => setOpen(false)}>Close</button>',
  needs = '[]',
): string => `import { useEffect, useState } from 'react'
export function LeadPopup() {
  const [open, setOpen] = useState(false)
  const [closed, setClosed] = useState(false)
  useEffect(() => {
    ${runs}
  }, ${needs})
  if (!open) return null
  return (
    <div ${box}>
      <div className="bg-white">${inner}</div>
    </div>
  )
}
`
const around = `import { LeadPopup } from './components/LeadPopup'\nexport default function App() {\n  return <main><h1>Seeds for small gardens</h1><p>All of them are sown by hand</p><LeadPopup /></main>\n}\n`

t.test('an offer over the page waits half a minute', async (t) => {
  const waits = (code: string, path = POP): Promise<string> =>
    of('pop-up-waits', { [path]: code, [APP]: around })
  t.equal(await waits(popUp()), '4000 → 30000')
  const { one, text } = await composed('pop-up-waits', { [POP]: popUp(), [APP]: around })
  t.match(
    text,
    /setTimeout\(\(\) => setOpen\(true\), variant\('hero', \{ control: 50, b: 50 \}\) === 'b'\s+\? 30000\s+: 4000\)/,
  )
  t.match(
    one?.hypothesis,
    'opening the pop-up “A tenth off your first seeds” after 30 seconds, and not after 4,',
  )
  const named = `const WAIT_MS = 3 * 1000\n${popUp().replace('4000', 'WAIT_MS')}`
  t.equal(
    await waits(named),
    'setTimeout(() => setOpen(true), WAIT_MS) → setTimeout(() => setOpen(true), 30000)',
  )
  t.match(
    (await composed('pop-up-waits', { [POP]: named, [APP]: around })).text,
    /^const WAIT_MS = 3 \* 1000$/m,
    'nothing is decided before the visitor is known',
  )
  t.equal(await waits(popUp().replace('4000', '15000')), '', 'it waits already')
  t.equal(await waits(popUp().replace('4000', 'delay')), '', 'nobody knows how long')
  t.match(
    await waits(
      popUp(
        "if (sessionStorage.getItem('seen')) return\n    setTimeout(() => { setOpen(true); sessionStorage.setItem('seen', '1') }, 4000)",
      ),
    ),
    '30000',
  )
  t.match(
    await waits(
      popUp(
        'if (closed) return\n    setTimeout(() => setOpen(true), 4000)',
        undefined,
        undefined,
        '[closed]',
      ),
    ),
    '30000',
  )
  t.equal(await waits(popUp(undefined, undefined, undefined, '[user]')), '', 'something else begins it')
  t.equal(
    await waits(popUp('if (!user) return\n    setTimeout(() => setOpen(true), 4000)')),
    '',
    'it is for some',
  )
  t.equal(
    await waits(
      popUp('const later = () => 1').replace(
        '<h2',
        '<h2 onClick={() => setTimeout(() => setOpen(true), 900)}',
      ),
    ),
    '',
    'one opens it',
  )
  t.equal(await waits(popUp(undefined, 'className="fixed bottom-4 right-4"')), '', 'a note in a corner')
  t.equal(
    await waits(popUp(undefined, 'className="fixed inset-0 pointer-events-none"')),
    '',
    'it lies in nobody’s way',
  )
  t.equal(
    await waits(popUp(undefined, undefined, '<h2>We use cookies</h2><button>Take all of them</button>')),
    '',
    'that may not wait',
  )
  t.equal(await waits(popUp(undefined, undefined, '<h2>Happy new year</h2>')), '', 'it asks for nothing')
  for (const other of ['AgeGate', 'CookieConsent', 'InstallPrompt', 'ChatPopup', 'LocationPopup'])
    t.equal(
      await of('pop-up-waits', {
        [POP.replace('LeadPopup', other)]: popUp().replace('LeadPopup', other),
        [APP]: around.replaceAll('LeadPopup', other),
      }),
      '',
      other,
    )
  t.equal(
    await of('pop-up-waits', {
      'src/dashboard/LeadPopup.tsx': popUp(),
      [APP]: around.replace('components', 'dashboard'),
    }),
    '',
    'for who is a customer',
  )
})

t.test('a dialog, a part of its own file, and other dialects', async (t) => {
  const opening = `import { useEffect, useState } from 'react'\nimport { OfferModal } from './components/OfferModal'\nexport default function App() {\n  const [show, setShow] = useState(false)\n  useEffect(() => {\n    setTimeout(() => setShow(true), 5000)\n  }, [])\n  return <main><h1>Seeds for small gardens</h1><p>All of them are sown by hand</p><OfferModal isOpen={show} onClose={() => setShow(false)} /></main>\n}\n`
  const part = (box: string): string =>
    `export function OfferModal({ isOpen, onClose }) {\n  if (!isOpen) return null\n  return <div className="${box}"><h2>A tenth off</h2><form action="/news"><input type="email" name="email" /><button>Send</button></form></div>\n}\n`
  const waits = (box: string, code = opening): Promise<string> =>
    of('pop-up-waits', { [APP]: code, 'src/components/OfferModal.tsx': part(box) })
  t.equal(await waits('fixed inset-0 bg-black/50'), '5000 → 30000')
  t.equal(await waits('rounded border'), '', 'it stands in the page')
  t.equal(
    await waits('fixed inset-0 bg-black/50', opening.replaceAll('isOpen={show}', 'isOpen={show && free}')),
    '',
    'more decides',
  )
  const vue = (box: string): string =>
    `<script setup>\nimport { onMounted, ref } from 'vue'\nconst open = ref(false)\nonMounted(() => {\n  setTimeout(() => {\n    open.value = true\n  }, 3000)\n})\n</script>\n<template>\n<div v-if="open" class="${box}"><h2>A tenth off your seeds</h2><form action="/news"><input type="email" name="email"><button>Send</button></form></div>\n</template>\n`
  const inVue = (code: string): Promise<string> =>
    of('pop-up-waits', {
      'src/components/OfferPopup.vue': code,
      'src/App.vue': '<template><main><h1>Seeds</h1><OfferPopup /></main></template>\n',
    })
  t.equal(await inVue(vue('fixed inset-0')), '3000 → 30000')
  t.equal(await inVue(vue('fixed bottom-0')), '')
  const svelte = (box: string): string =>
    `<script>\nimport { onMount } from 'svelte'\nlet open = $state(false)\nonMount(() => {\n  setTimeout(() => (open = true), 3000)\n})\n</script>\n{#if open}<div class="${box}"><h2>A tenth off your seeds</h2><form action="/news"><input type="email" name="email"><button>Send</button></form></div>{/if}\n`
  const inSvelte = (code: string): Promise<string> =>
    of('pop-up-waits', {
      'src/lib/OfferPopup.svelte': code,
      'src/routes/+page.svelte':
        "<script>\nimport OfferPopup from '$lib/OfferPopup.svelte'\n</script>\n<h1>Seeds</h1><OfferPopup />\n",
    })
  t.equal(await inSvelte(svelte('fixed inset-0')), '3000 → 30000')
  t.equal(await inSvelte(svelte('fixed bottom-0')), '')
})
