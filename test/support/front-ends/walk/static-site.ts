import { serveSite } from '../site.js'
import type { WalkedSite } from './walk.js'

/** A page served as it is. Its base is another folder than its own. */
export const STATIC_SITE: WalkedSite = {
  files: {
    'index.html': `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Good tents</title>
    <link rel="icon" href="data:,">
    <base href="/elsewhere/">
  </head>
  <body>
    <main>
      <h1>Tents for two</h1>
      <p>Ours last for <b>years</b>.</p>
      <p>Delivery in a week</p>
      <p>In green and blue.</p>
      <a class="more" href="/about/">See all tents</a>
    </main>
  </body>
</html>
`,
  },
  experiments: [
    {
      edits: {
        'index.html': [
          { find: 'Tents for two', replace: 'Tents for <em>all</em>', variant: 'b' },
          { find: '<title>Good tents</title>', replace: '<title>Shelter</title>', variant: 'b' },
        ],
      },
      words: { control: ['Tents for two', 'Good tents'], b: ['Tents for all', 'Shelter'] },
    },
    {
      edits: {
        'index.html': [
          { find: 'See all tents', replace: 'Choose yours', variant: 'b' },
          { find: 'Delivery in a week', replace: 'Delivery in two days' },
        ],
      },
      words: { control: ['See all tents'], b: ['Choose yours'] },
      plain: { before: 'Delivery in a week', after: 'Delivery in two days' },
    },
  ],
  async open(t, path, service) {
    const url = await serveSite(t, path, service, { ignoreCrawlers: true })
    return { deploy: () => Promise.resolve({ url }) }
  },
}
