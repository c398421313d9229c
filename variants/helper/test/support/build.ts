import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import react from '@vitejs/plugin-react'
import vue from '@vitejs/plugin-vue'
import type { Test } from 'tap'
import { build, type PluginOption } from 'vite'
import { packageRoot } from '../../../../runtime/package-root.js'

export interface Built {
  /** The browser's build by file name. The entry is `main.js`. */
  readonly files: ReadonlyMap<string, string>
  /** Exports of the server's build. */
  readonly server: { render(visitor: string | undefined, state: object): Promise<string> }
}

const PLUGINS: Readonly<Record<string, () => PluginOption>> = {
  react: () => react(),
  vue: () => vue(),
  svelte: () => svelte({ configFile: false }),
}

/** Builds `main.*` for the browser and `server.*`, if present, for the server, as Vite builds a site. */
export async function buildSite(
  t: Test,
  framework: string,
  sources: Readonly<Record<string, string>>,
): Promise<Built> {
  const root = mkdtempSync(join(packageRoot(), '.build-site-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  for (const [file, text] of Object.entries(sources)) writeFileSync(join(root, file), text)
  const entry = (name: string): string =>
    join(root, Object.keys(sources).find((file) => file.startsWith(`${name}.`)) ?? '')
  const common = { root, configFile: false, logLevel: 'error', mode: 'production' } as const
  const output = { entryFileNames: '[name].js', chunkFileNames: '[name].js' }
  await build({
    ...common,
    plugins: [PLUGINS[framework]?.()],
    // Development mode: React renders twice and reports mismatches.
    define: { 'process.env.NODE_ENV': '"development"' },
    build: { outDir: 'client', minify: false, rollupOptions: { input: { main: entry('main') }, output } },
  })
  await build({
    ...common,
    plugins: [PLUGINS[framework]?.()],
    build: { outDir: 'ssr', ssr: entry('server'), minify: false, rollupOptions: { output } },
  })
  const files = readdirSync(join(root, 'client'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => [`/${file}`, readFileSync(join(root, 'client', file), 'utf8')] as const)
  return { files: new Map(files), server: (await import(join(root, 'ssr', 'server.js'))) as Built['server'] }
}
