import t from 'tap'
import { cleaned, edited, experimentOf, refusal, written } from '../../test/support/trial.js'
import { withoutStateTag, withStateTag } from '../script-tag.js'

const page = (body: string, head = '<title>Shop</title>'): string =>
  `<!doctype html>\n<html>\n  <head>\n    <meta charset="utf-8">\n    ${head}\n  </head>\n  <body>\n    ${body}\n  </body>\n</html>\n`
const b = (find: string, replace: string): { find: string; replace: string; variant: string } => ({
  find,
  replace,
  variant: 'b',
})

/** The body after writing. Also checks the cleanup. */
function bodyOf(body: string, ...edits: { find: string; replace: string; variant?: string }[]): string {
  const text = page(body)
  const result = written('page.html', text, edits)
  t.equal(cleaned('page.html', result.text, result.regions, null), text, `taken back: ${body}`)
  t.equal(
    cleaned('page.html', result.text, result.regions, 'b'),
    edited(text, edits, 'b'),
    `shipped: ${body}`,
  )
  return result.text.slice(result.text.indexOf('<body>') + 11, result.text.indexOf('\n  </body>'))
}

t.test(
  'an element gets its templates before it, and a changed text takes its whole element along',
  async (t) => {
    t.equal(
      bodyOf('<h1>Welcome</h1>', b('Welcome', 'Try it')),
      '<template data-svc="hero" data-svc-variant="b"><h1>Try it</h1></template>\n    <h1 data-svc="hero:control=50,b=50">Welcome</h1>',
    )
    t.equal(
      bodyOf('<p>a <b>bold</b> c</p>', b('<b>bold</b>', '<i>thin</i> <i>x</i>')),
      '<p>a <template data-svc="hero" data-svc-variant="b"><i>thin</i> <i>x</i></template><b data-svc="hero:control=50,b=50">bold</b> c</p>',
    )
    t.match(
      bodyOf('<p>one <b>x</b> two</p>', b('one', '1'), b('two', '2')),
      /<p>1 <b>x<\/b> 2<\/p><\/template>/,
    )
    t.match(
      bodyOf('<p>gone</p>', b('<p>gone</p>', '')),
      '<template data-svc="hero" data-svc-variant="b"></template>',
    )
  },
)

t.test('alternatives of an attribute become further attributes', async (t) => {
  t.equal(
    bodyOf(
      `<input placeholder="Mail" title='T1' disabled>`,
      b('"Mail"', '"Your &quot;mail&quot;"'),
      b("title='T1'", "title='T2'"),
    ),
    `<input placeholder="Mail" title='T1' data-svc="hero:control=50,b=50" data-svc.b.placeholder="Your &quot;mail&quot;" data-svc.b.title='T2' disabled>`,
  )
  t.match(
    bodyOf('<svg viewbox="0 0 1 1"><g fill="red1"/></svg>', b('red1', 'blue')),
    'data-svc.b.fill="blue"',
  )
  t.match(
    bodyOf('<iframe src="a.html"></iframe>', b('a.html', 'b.html')),
    '<template',
    'what loads is chosen as a whole',
  )
})

t.test('tables, lists, selects and heads keep their structure', async (t) => {
  bodyOf('<table><tr><td>one</td><td>two</td></tr></table>', b('<td>two</td>', '<td>2</td><td>3</td>'))
  bodyOf(
    '<table><tbody><tr><td>one</td></tr></tbody></table>',
    b('<tr><td>one</td></tr>', '<tr><td>1</td></tr>'),
  )
  bodyOf('<ul><li>one</li><li>two</li></ul>', b('one', '1'))
  bodyOf('<select><option>one</option><option>two</option></select>', b('two', '2'))
  bodyOf('<textarea>draft</textarea>', b('draft', 'text'))
  bodyOf('<pre>\n    <b>x</b>\n</pre>', b('<b>x</b>', '<b>y</b>'))
  const text = page('<p>x</p>')
  t.match(
    written('page.html', text, [b('Shop', 'Store')]).text,
    '<template data-svc="hero" data-svc-variant="b"><title>Store</title>',
  )
})

const TAGS = `    <script src="/_svc/state.js"></script>\n    <script src="/svc-experiments.js"></script>\n`

t.test(
  'the helper is loaded before everything that shows or runs, and is removed when nothing uses it',
  async (t) => {
    const text = page(
      '<p>x1</p><p>x2</p>',
      '<link rel="stylesheet" href="a.css"><script src="b.js"></script>',
    )
    const first = written('page.html', text, [b('x1', 'y')])
    t.match(first.text, `<head>\n${TAGS}    <meta charset`)
    const second = written('page.html', first.text, [b('x2', 'z')], experimentOf('other', ['b']))
    t.equal(second.text.split('svc-experiments').length, 2, 'once')
    const left = cleaned('page.html', second.text, first.regions, null)
    t.match(left, 'svc-experiments', 'another experiment needs it')
    t.equal(cleaned('page.html', left, second.regions, null), text)
    t.match(refusal('part.html', '<p>x</p>', [b('x', 'y')]), 'no <head>')
    const headless = '<!doctype html>\n<link rel="stylesheet" href="a.css">\n<main><p>x1</p></main>\n'
    const above = written('page.html', headless, [b('x1', 'y')])
    t.match(above.text, `${TAGS.replaceAll('    ', '')}<link`)
    t.equal(cleaned('page.html', above.text, above.regions, null), headless)
    const minified =
      '<!doctype html><html><head><title>a</title><style>p{}</style></head><body><p>x</p></body></html>'
    const small = written('page.html', minified, [b('x', 'y')])
    t.equal(cleaned('page.html', small.text, small.regions, null), minified)
  },
)

t.test('a page from before the serving state gets its tag, and both tags are removed together', async (t) => {
  const old = page(
    '<p>x1</p>',
    '<script src="/svc-experiments.js" nonce="n"></script>\n    <script src="js/state.js"></script>',
  )
  const { text, regions } = written('page.html', old, [b('x1', 'y')])
  t.match(
    text,
    '    <script src="/_svc/state.js"></script>\n    <script src="/svc-experiments.js" nonce="n">',
  )
  const without = page('<p>x1</p>', '<script src="js/state.js"></script>')
  t.equal(cleaned('page.html', text, regions, null), without, "not the site's own script of that name")
  const other = text.replace('/_svc/state.js', '/api/state.js')
  t.equal(cleaned('page.html', other, regions, null), without, 'at another path it stands before the helper')
})

t.test('a base element comes after the tags', async (t) => {
  const { text } = written('page.html', page('<p>x1</p>', '<base href="https://cdn.example/">'), [
    b('x1', 'y'),
  ])
  t.ok(text.indexOf(TAGS) < text.indexOf('<base'))
})

t.test('the template of a bundle loads the state first in its head', async (t) => {
  const template = page(
    '<div id="app"></div>',
    '<link rel="icon" href="/i.svg">\n    <script type="module" src="/src/main.js"></script>',
  )
  const tagged = withStateTag(template, '/_svc/state.js', true) ?? ''
  t.match(tagged, '<head>\n    <script vite-ignore src="/_svc/state.js"></script>\n    <meta')
  t.equal(withStateTag(tagged, '/_svc/state.js', true), tagged)
  t.equal(withoutStateTag(tagged, '/_svc/state.js'), template)
  const kit =
    '<!doctype html>\n<html>\n\t<head>\n\t\t%sveltekit.head%\n\t</head>\n\t<body>%sveltekit.body%</body>\n</html>\n'
  const inKit = withStateTag(kit, '/_svc/state.js', false) ?? ''
  t.match(inKit, '<head>\n\t\t<script src="/_svc/state.js"></script>\n\t\t%sveltekit')
  t.equal(withoutStateTag(inKit, '/_svc/state.js'), kit)
  t.equal(withStateTag('<div id="app"></div>', '/_svc/state.js', false), null)
})

t.test('an edit that no unit can hold is refused, and the possible units are listed', async (t) => {
  const refused = (body: string, find: string, replace = 'z'): string =>
    refusal('page.html', page(body), [b(find, replace)])
  t.match(refused('<h1>Welcome</h1>', 'elcom'), 'Welcome | <h1>Welcome</h1>')
  t.match(refused("<script>let a = 'x1'</script>", "'x1'"), 'inside of <script>')
  t.match(refused('<!-- note --><p>x</p>', 'note'), 'comment')
  t.match(refused('<svg><text>label</text></svg>', 'label'), 'picture')
  t.match(refused('<noscript><p>off</p></noscript>', '<p>off</p>'), '<noscript>')
  t.match(refused('<template><p>later</p></template>', 'later'), '<template>')
  t.match(refused('<li>open<li>next', 'open'), 'no end tag')
  t.match(
    refused('<p>a <b>b1</b></p>', '<b>b1</b>', '<div>x</div>'),
    'changes what browsers make of the page around it',
  )
  t.match(refused('<p>text1</p>', 'text1', '</p><p>more'), /^written|changes what/)
  t.match(refused('<p>text1</p>', 'text1', '<b>open'), /changes what|written/)
  t.match(refused('<p title="a1">x</p>', 'a1', 'b" onclick="go()'), 'changes what browsers make')
  t.match(refused('<p title=a1>x</p>', 'a1', 'b onclick=go()'), 'changes what browsers make')
  t.match(refused('<p>x</p><p>x</p>', 'x'), 'more than once')
  t.match(refused('<p>x</p>', 'nowhere'), 'not in the file')
  t.match(
    refusal('page.html', page('<link rel="stylesheet" href="c1.css">'), [b('c1.css', 'd.css')]),
    'has done its work',
  )
})

t.test('an edit of one experiment never changes another one', async (t) => {
  const first = written('page.html', page('<div><p title="t1">x1</p> y1</div>'), [b('x1', 'x2')])
  const other = experimentOf('other', ['b'])
  const inside = written('page.html', page('<div><i>k1</i></div>'), [b('<div><i>k1</i></div>', '<p>n1</p>')])
  t.match(refusal('page.html', inside.text, [b('k1', 'k2')], other), 'part of the experiment hero')
  t.match(refusal('page.html', inside.text, [b('n1', 'n2')], other), 'inside of a <template>')
  t.match(
    refusal('page.html', first.text, [b('"t1"', '"t2"')], other),
    /more than once|part of the experiment hero/,
  )
  t.match(refusal('page.html', first.text, [b('y1', 'y2')], other), 'holds a part of the experiment hero')
  t.match(refusal('page.html', first.text, [b('y1', 'y2')]), 'already')
})

t.test('deep and long pages end with a message', async (t) => {
  t.match(refusal('page.html', page('<div>'.repeat(200_000)), [b('Shop', 'y')]), 'levels deep')
  t.match(refusal('page.html', page('a'.repeat(5_000_000)), [b('Shop', 'y')]), 'longer than')
})

t.test('a content security policy that blocks the helper is refused', async (t) => {
  const policy = (content: string): string =>
    page('<p>x1</p>', `<meta http-equiv="content-security-policy" content="${content}">`)
  const refused = (content: string): string => refusal('page.html', policy(content), [b('x1', 'y1')])
  for (const content of [
    "default-src 'none'; script-src 'self'",
    'connect-src https://api.example',
    "connect-src 'none'",
  ])
    t.match(refused(content), /send exposures: (connect|default)-src needs 'self'/, content)
  for (const content of [
    "script-src 'nonce-a'",
    "default-src 'self'",
    "connect-src https: wss:; default-src 'none'",
  ])
    t.match(refused(content), 'written', `${content}: the tags are before it`)
  const tags = '<script src="/_svc/state.js"></script><script src="/svc-experiments.js"></script>'
  const late = (content: string): string => policy(content).replace('\n  </head>', `\n    ${tags}\n  </head>`)
  for (const content of [
    "script-src 'nonce-a'; connect-src 'self'",
    "script-src 'self' 'strict-dynamic'; connect-src *",
  ])
    t.match(
      refusal('page.html', late(content), [b('x1', 'y1')]),
      /load the helper: script-src needs 'self'/,
      content,
    )
})
