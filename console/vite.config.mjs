// Builds the console: `npm run build:console`, also at the end of `npm ci`. During development `npx vite
// console` serves it and forwards requests to the API at SVC_API_URL.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

const { version } = JSON.parse(readFileSync(join(here, '..', 'package.json'), 'utf8'))
const proxy = Object.fromEntries(
  ['/v1', '/reference'].map((path) => [path, process.env.SVC_API_URL ?? 'http://127.0.0.1:8081']),
)

/** @type {import('vite').UserConfig} */
export default {
  root: here,
  base: '/',
  configFile: false,
  publicDir: false,
  define: { SVC_VERSION: JSON.stringify(version) },
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { alias: { react: 'preact/compat', 'react-dom': 'preact/compat' } },
  build: {
    outDir: join(here, '..', 'dist', 'console'),
    // The compiled tests lie beside it.
    emptyOutDir: false,
    target: 'es2022',
    // A strict policy allows neither inlined files nor a script in the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { port: 5173, proxy },
  preview: { port: 5173, proxy },
}
