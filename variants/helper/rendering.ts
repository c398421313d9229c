/** How a site makes its pages. As in `HelperReference`. */
export interface Rendering {
  readonly rendersOnServer: boolean
  readonly hasServerComponents: boolean
}

/** How to recognise a framework that renders pages on a server or at build time and hydrates them. */
interface Framework {
  /** Its packages. A configuration file alone is enough. */
  readonly packages: readonly string[]
  /** Name of its configuration file, without extension. */
  readonly configuration?: string
  /** The setting that turns server rendering off, and its files. */
  readonly off?: { readonly files: RegExp; readonly text: RegExp }
}

/** For the whole site: not for single routes, and not in a comment. */
const SSR_FALSE = /(?:^(?: {1,4}|\t)|Config\(\{\s*|default \{\s*)ssr\s*:\s*false\b/m
const REMIX_SSR_FALSE = /\b(?:remix|vitePlugin)\(\{(?:[^/{}]|\{[^{}]*\})*\bssr\s*:\s*false\b/

const FRAMEWORKS: readonly Framework[] = [
  { packages: ['next'], configuration: 'next.config' },
  { packages: ['astro'], configuration: 'astro.config' },
  { packages: ['gatsby'], configuration: 'gatsby-config' },
  { packages: ['@docusaurus/core'], configuration: 'docusaurus.config' },
  { packages: ['vitepress', '@tanstack/react-start', '@shopify/hydrogen'] },
  {
    packages: ['nuxt'],
    configuration: 'nuxt.config',
    off: { files: /(?:^|\/)nuxt\.config\.[cm]?[jt]s$/, text: SSR_FALSE },
  },
  {
    packages: ['@sveltejs/kit'],
    off: {
      files: /(?:^|\/)src\/routes\/\+layout\.[jt]s$/,
      text: /\bexport\s+const\s+ssr\s*=\s*false\b/,
    },
  },
  {
    packages: ['@react-router/dev'],
    configuration: 'react-router.config',
    off: { files: /(?:^|\/)react-router\.config\.[cm]?[jt]s$/, text: SSR_FALSE },
  },
  {
    packages: ['@remix-run/react'],
    configuration: 'remix.config',
    off: { files: /(?:^|\/)vite\.config\.[cm]?[jt]s$/, text: REMIX_SSR_FALSE },
  },
  { packages: ['vike'], off: { files: /(?:^|\/)\+config\.[cm]?[jt]s$/, text: SSR_FALSE } },
]

/** Calls that render on a server without one of these frameworks. */
const CALLS =
  /\b(?:hydrateRoot|createSSRApp|renderToString|renderToPipeableStream|renderToReadableStream|ReactDOM\.hydrate)\b|['"]svelte\/server['"]|\bhydrate\b[^;\n]*['"](?:svelte|preact|react-dom|solid-js\/web)['"]/

/** Entry files for browsers and servers. */
const ENTRY =
  /(?:^|\/)(?:main|index|entry|client|server|ssr|render|app|root)(?:[-.](?:client|server|ssr|browser|node|main))?\.[cm]?[jt]sx?$/i
const CONFIGURATION = /(?:^|\/)(?:\+(?:layout|config)|[a-z-]+[.-]config)\.[cm]?[jt]s$/

/** Names of the dependencies of a package.json. None if it is not valid JSON. */
export function packagesOf(text: string | null | undefined): string[] {
  if (text === undefined || text === null) return []
  try {
    const { dependencies, devDependencies } = Object(JSON.parse(text)) as Record<string, unknown>
    return [...Object.keys(Object(dependencies)), ...Object.keys(Object(devDependencies))]
  } catch {
    // Not JSON: the site has no dependencies that we could know.
    return []
  }
}

/** Whether `rendersOnServer` uses a file, in any folder. */
export function tellsRendering(path: string): boolean {
  return ENTRY.test(path) || CONFIGURATION.test(path)
}

/**
 * Whether a site renders pages on a server too: `serverRendered` of the helper. If true by mistake, visitors
 * see only the control; if false by mistake, hydration differs from the server's markup.
 *
 * @param packages names in `dependencies` and `devDependencies` of its package.json
 * @param files texts of its configuration and sources, by path
 */
export function rendersOnServer(packages: ReadonlySet<string>, files: ReadonlyMap<string, string>): boolean {
  const names = new Set([...files.keys()].map((path) => path.slice(path.lastIndexOf('/') + 1)))
  const configured = (name: string) =>
    ['js', 'mjs', 'cjs', 'ts', 'mts'].some((end) => names.has(`${name}.${end}`))
  const used = FRAMEWORKS.filter(
    (framework) =>
      framework.packages.some((name) => packages.has(name)) ||
      (framework.configuration !== undefined && configured(framework.configuration)),
  )
  // Their entry files hydrate even if they render only in browsers.
  if (used.length > 0) return !used.every((framework) => isOff(framework, files))
  for (const text of files.values()) if (CALLS.test(text)) return true
  return false
}

function isOff({ off }: Framework, files: ReadonlyMap<string, string>): boolean {
  if (off === undefined) return false
  for (const [path, text] of files) if (off.files.test(path) && off.text.test(text)) return true
  return false
}
