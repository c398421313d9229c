import t from 'tap'
import { objectionTo } from '../content-policy.js'

const told = (find: string, replace: string, known = find): string =>
  objectionTo([{ find, replace, variant: 'b' }], known)?.reason ?? 'none'

t.test('figures and claims stand in what is known', async (t) => {
  t.equal(told('<p>For teams</p>', '<p>For 900 teams</p>'), 'invented')
  t.equal(
    told('<p>For teams</p>', '<p>For 90 teams</p>', 'since 1990'),
    'invented',
    'a part of another figure',
  )
  t.equal(told('<p>For teams</p>', '<p>For 900 teams</p>', '900 teams use it'), 'none')
  t.equal(told("'Start'", "'Start for free'"), 'invented')
  t.equal(told("'Start'", "'Start for free'", 'It is free'), 'none')
  t.equal(told('<a>Los</a>', '<a>Kostenlos los</a>'), 'invented')
  t.equal(told('<p>Simple</p>', '<p>Trusted by everyone</p>'), 'invented')
  t.equal(told('<a class="p-4">Go</a>', '<a class="p-8">Go</a>'), 'none', 'what is not read is no claim')
})

t.test('nobody is pressed or shamed, whatever is known', async (t) => {
  for (const words of [
    'Hurry, join now',
    'Only 3 left',
    "No thanks, I don't like saving",
    'Nur noch 3 Plätze',
    'Dernière chance',
  ])
    t.equal(told('<p>Join</p>', `<p>${words}</p>`, words), 'dark_pattern', words)
})

t.test('nothing is brought in that runs, fetches or leads elsewhere', async (t) => {
  for (const code of [
    '<p>Join<script>go()</script></p>',
    '<p onclick="go()">Join</p>',
    '<p>Join<img src="https://elsewhere.test/i.png"></p>',
    '<a href="javascript:go()">Join</a>',
    '<a href="//elsewhere.test/">Join</a>',
    '<p>{fetch("/x")}</p>',
    '<p>{document.cookie}</p>',
    '<p v-html="text">Join</p>',
    '<p>{@html text}</p>',
    '<p>Join<iframe></iframe></p>',
    '<p>Join<form action="/x"></form></p>',
  ])
    t.equal(told('<p>Join</p>', code), 'unsafe', code)
  const kept = '<a href="https://known.test/" onclick="go()">Join</a>'
  t.equal(told(kept, kept.replace('Join', 'Open an account')), 'none', 'what was there may stay')
  const sets = (word: string): string => `<button onClick={() => setMode('${word}')}>A</button>`
  const knows = `{mode === 'account' && <p>A</p>}${sets('guest')}`
  t.equal(told('<p>A</p>', sets('account'), knows), 'none', 'a state that the file knows, set as it sets it')
  t.equal(told('<p>A</p>', sets('other'), knows), 'unsafe')
  t.equal(told('<p>A</p>', sets('account').replace('setMode', 'go'), knows), 'unsafe')
  t.equal(told('<Link href="/a">A</Link>', '<Link href="/b">B</Link>'), 'none', 'a component of a framework')
})

t.test('nothing is taken from people who hear the page or use the keyboard', async (t) => {
  t.equal(told('<img alt="A cup"><p>Tea</p>', '<img alt=""><p>Tea</p>'), 'unsafe')
  t.equal(told('<label for="a">Name</label><input id="a">', '<input id="a" placeholder="Name">'), 'unsafe')
  t.equal(told('<button aria-label="Close">x</button>', '<button>x</button>'), 'unsafe')
  t.equal(told('<a href="/a">A</a>', '<a href="/a" tabindex="3">A</a>'), 'unsafe')
  t.equal(told('<a href="/a">A</a>', '<a href="/a" style="outline:none">A</a>'), 'unsafe')
})
