import fc from 'fast-check'
import t from 'tap'
import { pathProblem } from '../path-policy.js'
import type { TreeEntry } from '../port.js'

function entriesOf(kinds: Readonly<Record<string, TreeEntry['kind']>>): ReadonlyMap<string, TreeEntry> {
  return new Map(
    Object.entries(kinds).map(([path, kind]) => [
      path,
      { path, kind, id: 'a'.repeat(40), size: 1, unreadableName: false },
    ]),
  )
}

t.test('ordinary files may be written', (t) => {
  for (const path of [
    'index.html',
    'src/app/[slug]/page.tsx',
    'src/with space.vue',
    'src/"quoted".ts',
    '-page.ts',
    'src/git.ts',
    'src/digit/hooks/useCart.ts',
    'hooks/use-cart.ts',
    'ünï/cödé.html',
    'src/app/config/page.ts',
    'src/tests-taken/Form.jsx',
    'assets/scripts/app.js',
    'docs/.vitepress/theme/Layout.vue',
    'locales/de-AT.json',
    'src/i18n/messages/en/shop.json',
    'public/fonts/Inter.woff2',
    'public/img/Hero.AVIF',
    'console.html',
    'com10.ts',
    'functions/index.html',
    'ci.html',
    'src/services/api.ts',
    'src/app/deploy/page.tsx',
    'pages/server.vue',
  ])
    t.equal(pathProblem(path, { allow: [] }), undefined, path)
  t.end()
})

t.test('no glob opens a way out of the repository or into git', (t) => {
  const cases: readonly [string, RegExp][] = [
    ['', /no file/],
    ['/etc/passwd', /absolute/],
    ['C:/windows', /absolute/],
    ['c:x', /absolute/],
    ['../x', /goes through \.\./],
    ['a/../../x', /goes through \.\./],
    ['a/./b', /goes through \./],
    ['a//b', /empty name/],
    ['a/', /empty name/],
    ['a\\b', /backslash/],
    ['..\\x', /backslash/],
    ['a\0b', /control/],
    ['a\nb', /control/],
    ['a\u007fb', /control/],
    ['a\u0085b', /control/],
    ['\ud800', /Unicode/],
    ['.git/config', /git's own/],
    ['.GIT/hooks/pre-commit', /git's own/],
    ['sub/.Git/config', /git's own/],
    ['.git', /git's own/],
    ['.git /config', /git's own/],
    ['.git./config', /git's own/],
    ['.git . ./config', /git's own/],
    ['.git::$INDEX_ALLOCATION/config', /git's own/],
    ['git~1/config', /git's own/],
    ['GIT~2/config', /git's own/],
    ['.g\u200cit/config', /git's own/],
    ['.gi\u200dt', /git's own/],
    ['.\uff27\uff29\uff34/config', /git's own/],
    ['.gitmodules ', /git's own/],
    ['gitmod~1', /git's own/],
    ['gi7eba~1', /git's own/],
    ['a /b', /dot or a space/],
    ['a./b', /dot or a space/],
    ['x.html.', /dot or a space/],
    [`${'a/'.repeat(600)}b`, /longer than 1024/],
    ['a'.repeat(256), /longer than 255/],
    ['a\u202egpj.html', /not shown or that turn/],
    ['src\u2066/a.html', /not shown or that turn/],
    ['a\u200b.html', /not shown or that turn/],
    ['a\u00ad.html', /not shown or that turn/],
    ['a\u2028.html', /not shown or that turn/],
    ['a\u3164.html', /not shown or that turn/],
    ['a\u{e0041}.html', /not shown or that turn/],
    ['con', /device on Windows/],
    ['src/AUX.ts', /device on Windows/],
    ['nul.d.ts', /device on Windows/],
    ['PRN/index.html', /device on Windows/],
    ['com1.html', /device on Windows/],
    ['lpt\u00b9.html', /device on Windows/],
    ['con .html', /device on Windows/],
  ]
  for (const [path, problem] of cases) {
    // A separator of lines would cut the name of the assertion.
    const name = JSON.stringify(path).replaceAll(/[^ -~]/g, '?')
    t.match(pathProblem(path, { allow: [] }), problem, name)
    t.match(pathProblem(path, { allow: ['**', '*', path || '**'] }), problem, `${name}, allowed`)
  }
  t.end()
})

t.test('build and security files are writable only if a glob names them', (t) => {
  const guarded: readonly [string, RegExp][] = [
    ['.github/workflows/ci.yml', /CI configuration/],
    ['.GitHub/Workflows/ci.yml', /CI configuration/],
    ['.gitlab-ci.yml', /CI configuration/],
    ['.circleci/config.yml', /CI configuration/],
    ['Jenkinsfile', /CI configuration/],
    ['azure-pipelines.yml', /CI configuration/],
    ['.husky/pre-commit', /hook/],
    ['.githooks/pre-push', /hook/],
    ['tools/hooks/pre-commit', /hook/],
    ['lefthook.yml', /hook/],
    ['.pre-commit-config.yaml', /hook/],
    ['package-lock.json', /lockfile/],
    ['packages/site/yarn.lock', /lockfile/],
    ['pnpm-lock.yaml', /lockfile/],
    ['bun.lockb', /lockfile/],
    ['Cargo.lock', /lockfile/],
    ['go.sum', /lockfile/],
    ['package.json', /package manifest/],
    ['packages/a/PACKAGE.JSON', /package manifest/],
    ['.npmrc', /package manifest/],
    ['pyproject.toml', /package manifest/],
    ['Gemfile', /package manifest/],
    ['requirements-dev.txt', /package manifest/],
    ['.gitignore', /git's or its hosts'/],
    ['src/.gitattributes', /git's or its hosts'/],
    ['.gitmodules', /git's or its hosts'/],
    ['CODEOWNERS', /owners/],
    ['docs/CODEOWNERS', /owners/],
    ['.env', /environment/],
    ['apps/web/.env.production', /environment/],
    ['Dockerfile', /deployment file/],
    ['docker/Dockerfile.web', /deployment file/],
    ['docker-compose.yml', /deployment file/],
    ['vercel.json', /deployment file/],
    ['netlify.toml', /deployment file/],
    ['netlify/functions/pay.ts', /deployment file/],
    ['public/_redirects', /deployment file/],
    ['deploy/index.js', /deployment file/],
    ['migrations/001.ts', /deployment file/],
    ['vite.config.ts', /build or test configuration/],
    ['apps/web/next.config.js', /build or test configuration/],
    ['webpack.prod.js', /build or test configuration/],
    ['gulpfile.js', /build or test configuration/],
    ['karma.conf.js', /build or test configuration/],
    ['vitest.setup.ts', /build or test configuration/],
    ['tsconfig.build.json', /build or test configuration/],
    ['Makefile', /build or test configuration/],
    ['.vitepress/config.ts', /hidden/],
    ['src/Pay.test.tsx', /a test/],
    ['cypress/support/index.js', /a test/],
    ['src/__tests__/pay.js', /a test/],
    ['scripts/release.js', /a script/],
    ['packages/site/scripts/build.ts', /a script/],
    ['build.mjs', /a script/],
    ['node_modules/x/index.js', /a script/],
    ['svc-experiments.js', /helper/],
    ['src/svc-experiments.js', /helper/],
    ['.eslintrc.js', /hidden/],
    ['.storybook/preview.ts', /hidden/],
    ['.vscode/tasks.json', /hidden/],
    ['.svc/experiments/button.json', /hidden/],
    ['-rf', /neither a page/],
    ['run.sh', /neither a page/],
    ['src/pay.php', /neither a page/],
    ['src/tool.cjs', /neither a page/],
    ['data.json', /neither a page/],
    ['README.md', /neither a page/],
    ['html', /neither a page/],
    ['page.html.sh', /neither a page/],
    ['gatsby-node.js', /build or test/],
    ['config-overrides.js', /build or test/],
    ['src/setupProxy.js', /build or test/],
    ['src/instrumentation.ts', /build or test/],
    ['eslint-rules/no-x.js', /build or test/],
    ['client/webpack/dev.js', /build or test/],
    ['hooks/pre-commit.js', /hook/],
    ['packages/ui/build.mjs', /a script/],
    ['prebuild.js', /a script/],
    ['actions/deploy/index.js', /a script/],
    ['frontend/scripts/build.js', /a script/],
    ['prisma/seed.ts', /a script/],
    ['hooks/commit-msg.js', /hook/],
    ['database/seeders/a.js', /deployment file/],
    ['docker/entry.js', /deployment file/],
    ['packages/site/lambda/pay.ts', /deployment file/],
    ['src/middleware.ts', /server or worker/],
    ['src/routes/+page.server.ts', /server or worker/],
    ['src/routes/api/+server.ts', /server or worker/],
    ['app/pay/route.ts', /server or worker/],
    ['src/pages/api/pay.ts', /server or worker/],
    ['server/plugins/x.ts', /server or worker/],
    ['public/sw.js', /server or worker/],
    ['firebase-messaging-sw.js', /server or worker/],
    ['src/Pay.stories.tsx', /a test/],
    ['build/release.js', /a script/],
    ['turbo/generators/a.ts', /a script/],
    ['ci.js', /a script/],
  ]
  for (const [path, problem] of guarded) {
    t.match(pathProblem(path, { allow: [] }), problem, path)
    t.match(pathProblem(path, { allow: ['src/*.html'] }), problem, `${path}, another allowed`)
    t.equal(pathProblem(path, { allow: ['nothing', path] }), undefined, `${path}, allowed`)
    t.equal(pathProblem(path, { allow: ['**'] }), undefined, `${path}, all allowed`)
  }
  t.equal(pathProblem('.github/workflows/ci.yml', { allow: ['.github/workflows/*.yml'] }), undefined)
  t.match(pathProblem('.github/CODEOWNERS', { allow: ['.github/workflows/*.yml'] }), /CI configuration/)
  t.end()
})

const KINDS =
  'html htm vue svelte js mjs ts mts jsx tsx css scss sass less svg png jpg jpeg gif webp avif ico bmp woff woff2 ttf otf eot'.split(
    ' ',
  )

t.test('only the kinds that variants are written in, and assets, are open', async () => {
  const name = fc.stringMatching(/^[a-z]{3,4}[A-Z]{2}$/)
  const ending = fc.oneof(fc.constantFrom(...KINDS), fc.stringMatching(/^[a-z]{1,5}$/))
  const folders = fc.array(name, { maxLength: 3 })
  fc.assert(
    fc.property(folders, name, ending, fc.boolean(), (under, base, end, isUpper) => {
      const path = ['src', ...under, `${base}.${isUpper ? end.toUpperCase() : end}`].join('/')
      const isOpen = pathProblem(path, { allow: [] }) === undefined
      return isOpen === KINDS.includes(end) && pathProblem(path, { allow: [path] }) === undefined
    }),
  )
})

t.test('a guarded name is guarded in any folder and in any case', async () => {
  const names = [
    ...['CODEOWNERS', '.env', '.env.js', 'package.json', 'yarn.lock', 'Dockerfile', 'vercel.json', '.npmrc'],
    ...[
      'vite.config.ts',
      'karma.conf.js',
      'webpack.dev.js',
      'pay.test.ts',
      'svc-experiments.js',
      'tsconfig.json',
    ],
    ...[
      '.github/x.js',
      '.husky/x.js',
      '.circleci/x.js',
      '.config/x.js',
      'node_modules/x.js',
      '__mocks__/x.js',
    ],
  ]
  const folder = fc.stringMatching(/^[a-z]{3,4}[A-Z]{2}$/)
  const cases = fc.func(fc.boolean())
  fc.assert(
    fc.property(
      fc.array(folder, { maxLength: 3 }),
      fc.constantFrom(...names),
      cases,
      (under, name, isUpper) => {
        const spelled = [...name].map((letter, at) => (isUpper(at) ? letter.toUpperCase() : letter)).join('')
        const path = [...under, spelled].join('/')
        return (
          pathProblem(path, { allow: [] }) !== undefined && pathProblem(path, { allow: ['**'] }) === undefined
        )
      },
    ),
  )
})

t.test('links, submodules, folders and names that differ only in case are refused', (t) => {
  const entries = entriesOf({
    link: 'symlink',
    module: 'submodule',
    src: 'folder',
    'src/app.ts': 'file',
    'src/Button.tsx': 'file',
    'src/link.ts': 'symlink',
  })
  const problem = (path: string) => pathProblem(path, { allow: ['**'], entries })
  t.equal(problem('src/app.ts'), undefined)
  t.equal(problem('src/new/x.ts'), undefined)
  t.match(problem('link/x'), /^link is a symbolic link/)
  t.match(problem('link'), /^it is a symbolic link/)
  t.match(problem('src/link.ts'), /^it is a symbolic link/)
  t.match(problem('module/a/b'), /^module is a submodule/)
  t.match(problem('module'), /^it is a submodule/)
  t.match(problem('src'), /^it is a folder/)
  t.match(problem('src/app.ts/x'), /^src\/app\.ts is a file/)
  t.match(problem('src/button.tsx'), /differs from src\/Button\.tsx in case alone/)
  t.match(problem('SRC/x.ts'), /differs from src in case alone/)
  t.end()
})
