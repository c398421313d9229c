/** Frameworks whose pages are rendered on a server or beforehand, and taken over by the browser. */
const FRAMEWORKS = new Set([
  '@docusaurus/core',
  '@remix-run/react',
  '@shopify/hydrogen',
  '@sveltejs/kit',
  '@tanstack/react-start',
  'astro',
  'gatsby',
  'next',
  'nuxt',
  'vike',
  'vitepress',
])

/** What a site says that renders on a server without one of these. */
const CALLS =
  /\b(?:hydrateRoot|createSSRApp|renderToString|renderToPipeableStream|renderToReadableStream)\b|['"]svelte\/server['"]|\bhydrate\b[^;\n]*['"]svelte['"]/

/**
 * Whether a repository's pages are rendered on a server too, as `serverRendered` of the helper asks. Saying so of a site that does not shows its
 * visitors the control alone; not saying so of one that does lets the browser begin with something else than the server.
 *
 * @param packages names in `dependencies` and `devDependencies` of its package.json
 * @param texts of its sources
 */
export function rendersOnServer(packages: Iterable<string>, texts: Iterable<string>): boolean {
  for (const name of packages) if (FRAMEWORKS.has(name)) return true
  for (const text of texts) if (CALLS.test(text)) return true
  return false
}
