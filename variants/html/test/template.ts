import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { build, type LogLevel } from 'vite'
import { packageRoot } from '../../../runtime/package-root.js'
import { withStateTag } from '../script-tag.js'

const TEMPLATE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="UTF-8" />
    <link rel="icon" href="/icon.svg" />
    <title>Shop</title>
  </head>
  <body>
    <div id="app"></div>
    <script type="module" src="/src/main.js"></script>
  </body>
</html>
`

t.test('the tag of the state stays first in what Vite builds, as it is, and without a warning', async (t) => {
  const root = mkdtempSync(join(packageRoot(), '.build-template-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, 'src/main.js'), "import './style.css'\ndocument.title = 'Built'\n")
  writeFileSync(join(root, 'src/style.css'), 'p { color: red }')
  writeFileSync(join(root, 'index.html'), withStateTag(TEMPLATE, '/_svc/state.js', true) ?? '')
  const warnings: string[] = []
  const note = (message: string): void => void warnings.push(message)
  const logger = { info() {}, warn: note, warnOnce: note, error: note, clearScreen() {} }
  await build({
    root,
    base: '/app/',
    configFile: false,
    logLevel: 'warn' satisfies LogLevel,
    customLogger: { ...logger, hasErrorLogged: () => false, hasWarned: false },
  })
  const html = readFileSync(join(root, 'dist/index.html'), 'utf8')
  const [first] = html.match(/<(script|link|style)[^>]*>/g) ?? []
  t.match(first, /^<script +src="\/_svc\/state\.js">$/)
  t.match(html, '/app/assets/')
  t.same(warnings, [])
})
