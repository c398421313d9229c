'use strict'
const { existsSync } = require('node:fs')
const { dirname, join } = require('node:path')

/**
 * Upstream's binaries for Node 20, 22, 24 and 25. Those for Linux need the glibc of Debian 13 and Ubuntu
 * 24.04.
 */
const CURRENT = { package: '@btc-vision/uwebsockets.js', entry: '@btc-vision/uwebsockets.js', folder: '.', glibc: [2, 38] }
/** Up to Node 20, also on older systems. */
const OLDER = {
  package: '@trufflesuite/uws-js-unofficial',
  entry: '@trufflesuite/uws-js-unofficial/package.json',
  folder: 'binaries',
  glibc: [2, 27],
}

function chooseBuild(system) {
  const installed = [CURRENT, OLDER].flatMap((build) => {
    const folder = system.folderOf(build.entry)
    return folder === undefined ? [] : [{ ...build, at: join(folder, build.folder) }]
  })
  if (installed.length === 0) return { problem: 'uWebSockets.js is not installed: run `npm ci`' }
  const binary = `uws_${system.platform}_${system.arch}_${system.modules}.node`
  const built = installed.map((build) => ({ ...build, file: join(build.at, binary) })).filter(({ file }) => system.exists(file))
  const fitting = built.find(({ glibc }) => system.platform !== 'linux' || isAtLeast(system.glibc, glibc))
  if (fitting !== undefined) return { package: fitting.package, file: fitting.file }

  const here = `Node ${system.node} on ${system.platform}-${system.arch}`
  const [nearest] = built.sort((a, b) => a.glibc[1] - b.glibc[1])
  if (nearest === undefined)
    return {
      problem: `there is no uWebSockets.js binary for ${here}: use Node 20, 22 or 24 on Linux, macOS or Windows, on x64 or arm64`,
    }
  if (system.glibc === undefined)
    return {
      problem: `uWebSockets.js for ${here} needs the C library glibc ${nearest.glibc.join('.')} or later, and this system has another C library (Alpine has musl): use Debian or Ubuntu`,
    }
  return {
    problem: `uWebSockets.js for ${here} needs glibc ${nearest.glibc.join('.')} or later, and this system has ${system.glibc}: use Debian 13, Ubuntu 24.04 or later, or Node 20 here`,
  }
}

function isAtLeast(version, [major, minor]) {
  if (version === undefined) return false
  const [a = 0, b = 0] = version.split('.').map(Number)
  return a > major || (a === major && b >= minor)
}

function thisSystem() {
  return {
    platform: process.platform,
    arch: process.arch,
    node: process.versions.node,
    modules: process.versions.modules,
    glibc: process.platform === 'linux' ? process.report.getReport().header.glibcVersionRuntime : undefined,
    folderOf: (entry) => {
      try {
        return dirname(require.resolve(entry))
      } catch {
        // Not installed on this platform.
        return undefined
      }
    },
    exists: existsSync,
  }
}

let known
const buildForThisSystem = () => {
  known ??= chooseBuild(thisSystem())
  return known
}

module.exports = { chooseBuild, buildForThisSystem }
