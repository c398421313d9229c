import t from 'tap'
import type { RepositoryRow } from '../../../postgres/tables/repositories.js'
import { localHost } from '../../../repositories/local/host.js'
import { makeRepository } from '../../../repositories/test/support/git-repository.js'
import { codeAtHead } from '../repository-code.js'

const settingsOf = (location: string): RepositoryRow => ({
  workspaceId: '',
  id: '',
  kind: 'local',
  location,
  baseUrl: null,
  branch: null,
  allow: [],
  helper: null,
  exposures: '/_svc/exposures',
  sealedToken: null,
  sealedWebhookSecret: null,
})

t.test('unread page formats are counted, content and styles are read, other files are ignored', async (t) => {
  const { path } = makeRepository(t, {
    bare: true,
    files: {
      'index.html': '<h1>All of it</h1>\n',
      'src/pages/index.astro': '<h1>All of it</h1>\n',
      'views/home.pug': 'h1 All of it\n',
      'node_modules/kit/a.pug': 'h1 All of it\n',
      'notes.txt': 'All of it\n',
      'README.md': 'What it is\n',
      'content/about.md': 'All of it\n',
      'css/site.css': 'h1 { width: 9rem }\n',
      'sitemap.xml': '<urlset></urlset>\n',
      '.github/labels.yml': 'a: 1\n',
    },
  })
  const host = localHost({ path })
  const code = await codeAtHead({ host, settings: settingsOf(path) }, new AbortController().signal)
  t.strictSame(
    code.files.map((file) => file.path),
    ['README.md', 'content/about.md', 'css/site.css', 'index.html', 'sitemap.xml'],
  )
  t.strictSame(code.dropped, [{ reason: 'file_kind_not_read', count: 2 }])
  await host.close()
})

t.test('build output is ignored, sources in a folder of that name are read', async (t) => {
  const { path } = makeRepository(t, {
    bare: true,
    files: {
      'dist/index.html': '<h1>All of it</h1>\n',
      'dist/bundle.js': 'export {}\n',
      'dist/routes/login/+page.svelte': '<h1>Sign in</h1>\n',
      'templates/dist/start.tsx': 'export const Start = () => <h1>All of it</h1>\n',
      'build/locales/en.json': '{}\n',
      'node_modules/kit/dist/page.svelte': '<h1>All of it</h1>\n',
    },
  })
  const host = localHost({ path })
  const code = await codeAtHead({ host, settings: settingsOf(path) }, new AbortController().signal)
  t.strictSame(
    code.files.map((file) => file.path),
    ['dist/routes/login/+page.svelte', 'templates/dist/start.tsx'],
  )
  await host.close()
})
