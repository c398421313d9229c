#!/usr/bin/env node
// Writes dist/client/svc.tgz, the command line as one archive that the API serves as /reference/svc.tgz: an
// npm package without dependencies, for machines that have only Node. The same sources give the same bytes.
// It leaves out `svc admin`, which needs the service's machine.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { npmPackage } from './archives.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { version, description, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const bundled = (name, options) =>
  build({
    absWorkingDir: root,
    entryPoints: [`dist/cli/${name}.js`],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
    ...options,
  })
// Two files, so that `--version` loads a small one.
const COMMANDS = 'client-commands'
const first = await bundled('client-main', {
  plugins: [
    {
      name: 'the commands stay beside it',
      setup: ({ onResolve }) =>
        onResolve({ filter: new RegExp(`/${COMMANDS}\\.js$`) }, ({ path }) => ({ path, external: true })),
    },
  ],
})
const commands = await bundled(COMMANDS, {
  // CommonJS packages load Node's modules by `require`.
  banner: {
    js: "import { createRequire as svcCreateRequire } from 'node:module'\nconst require = svcCreateRequire(import.meta.url)",
  },
})
const inputs = [first, commands].flatMap(({ metafile }) => Object.keys(metafile.inputs))
const admin = inputs.filter((file) => file.startsWith('dist/cli/admin/') || file.startsWith('dist/postgres/'))
if (admin.length > 0) throw new Error(`the client must do without ${admin.join(', ')}`)

/** Licences of the bundled packages. */
const packages = [
  ...new Set(inputs.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [])),
].sort()
const licences = packages.map((name) => {
  const folder = join(root, 'node_modules', name)
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  if (file === undefined) throw new Error(`${name} comes without a licence`)
  return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
})

const manifest = {
  name: 'svc',
  version,
  description,
  type: 'module',
  bin: { svc: 'svc.js' },
  engines,
}
const files = [
  ['package.json', `${JSON.stringify(manifest, null, 2)}\n`, 0o644],
  ['svc.js', first.outputFiles[0].contents, 0o755],
  [`${COMMANDS}.js`, commands.outputFiles[0].contents, 0o644],
  ['LICENCES.txt', licences.join('\n---\n\n'), 0o644],
]
const archive = npmPackage(files)
if (archive.length > 1_000_000) throw new Error(`the client has ${archive.length} bytes, which is too many`)
mkdirSync(join(root, 'dist', 'client'), { recursive: true })
writeFileSync(join(root, 'dist', 'client', 'svc.tgz'), archive)
await import('./build-sdk.mjs')
