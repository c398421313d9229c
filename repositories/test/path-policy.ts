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
    '-rf',
    'src/git.ts',
    'src/digit/hooks/useCart.ts',
    'hooks/use-cart.ts',
    'docs/package.json.md',
    '.svc/experiments/button.json',
    '.well-known/x.txt',
    'ünï/cödé.html',
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
  ]
  for (const [path, problem] of cases) {
    t.match(pathProblem(path, { allow: [] }), problem, JSON.stringify(path))
    t.match(
      pathProblem(path, { allow: ['**', '*', path || '**'] }),
      problem,
      `${JSON.stringify(path)}, allowed`,
    )
  }
  t.end()
})

t.test('what builds and guards the repository is written only where a glob names it', (t) => {
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

t.test('what stands there decides too', (t) => {
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
