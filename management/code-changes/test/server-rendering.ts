import t from 'tap'
import { localHost } from '../../../repositories/local/host.js'
import { makeRepository } from '../../../repositories/test/support/git-repository.js'
import { renderingOf } from '../server-rendering.js'

t.test(
  'server rendering is detected from the package, configuration and entries of the sources',
  async (t) => {
    const { path } = makeRepository(t, {
      bare: true,
      files: {
        'package.json': '{"workspaces":["apps/*"]}',
        'apps/shop/package.json': '{"dependencies":{"react":"19.0.0"}}',
        'apps/shop/src/entry-client.tsx': 'hydrateRoot(document, <App />)\n',
        'apps/shop/src/parts/Hero.tsx': 'export {}\n',
        'apps/admin/package.json': '{"dependencies":{"react":"19.0.0"}}',
        'apps/admin/src/main.tsx': 'createRoot(root).render(<App />)\n',
        'apps/admin/src/parts/Hero.tsx': 'export {}\n',
        'apps/docs/package.json': '{"devDependencies":{"nuxt":"4.0.0"}}',
        'apps/docs/nuxt.config.ts': 'export default defineNuxtConfig({\n  ssr: false,\n})\n',
        'apps/docs/app/pages/index.vue': '<template></template>\n',
        'apps/blog/astro.config.mjs': 'export default {}\n',
        'apps/blog/package.json': 'no JSON',
        'apps/blog/src/Hero.tsx': 'export {}\n',
        'apps/news/package.json': '{"dependencies":{"next":"16.0.0"}}',
        'apps/news/src/app/(main)/layout.tsx': 'export {}\n',
        'apps/news/src/parts/Hero.tsx': 'export {}\n',
      },
    })
    const host = localHost({ path })
    const head = await host.head()
    const renders = async (...sources: string[]) => (await renderingOf(host, head, sources)).rendersOnServer
    t.equal(
      await renders('apps/shop/src/parts/Hero.tsx'),
      true,
      'its own entry, which the change leaves as it is',
    )
    t.equal(
      await renders('apps/admin/src/parts/Hero.tsx'),
      false,
      'another site of the same repository does not count',
    )
    t.equal(await renders('apps/docs/app/pages/index.vue'), false)
    t.equal(await renders('apps/blog/src/Hero.tsx'), true, 'a configuration where no package is named')
    const isServerComponent = async (path: string) =>
      (await renderingOf(host, head, [path])).hasServerComponents
    t.equal(await isServerComponent('apps/news/src/parts/Hero.tsx'), true, 'the app router of Next')
    t.equal(await isServerComponent('apps/docs/app/pages/index.vue'), false, 'a folder of the same name')
  },
)
