import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * Why this Node cannot run svc, in one line, or undefined where it can. Asked before anything native is loaded, since loading the wrong
 * binary ends in an error nobody understands.
 */
export function platformProblem(): string | undefined {
  const binary = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`
  const major = Number(process.versions.node.split('.')[0])
  let folder: string
  try {
    folder = dirname(createRequire(import.meta.url).resolve('uWebSockets.js/package.json'))
  } catch {
    return 'uWebSockets.js is not installed: run `npm ci`'
  }
  // The npm build has them in a folder, upstream's beside its package.json.
  if ([join(folder, 'binaries', binary), join(folder, binary)].some((file) => existsSync(file)))
    return undefined
  const found = `Node ${process.versions.node} on ${process.platform}-${process.arch}`
  return major === 20
    ? `there is no uWebSockets.js binary for ${found}: it is built for Linux, macOS and Windows on x64 and arm64`
    : `svc needs Node 20, this is ${found}: install Node 20 (for example \`nvm install 20\`), or uWebSockets.js's own build for this Node as README.md says`
}
