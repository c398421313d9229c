'use strict'
const { createHash } = require('node:crypto')
const { readFileSync } = require('node:fs')
const { basename } = require('node:path')
const { buildForThisSystem } = require('./build.cjs')
const hashes = require('./hashes.json')

// Imported as `uWebSockets.js`, also by hyper-express. The builds do not choose for themselves: if its binary
// does not load, one falls back to an imitation in JavaScript, and the other only complains about versions.
const build = buildForThisSystem()
if (build.problem !== undefined) throw new Error(build.problem)
// The binary runs with all rights of svc, and no source of it is built here: only the known bytes are loaded.
const hash = createHash('sha256').update(readFileSync(build.file)).digest('hex')
if (hashes[build.package]?.[basename(build.file)] !== hash)
  throw new Error(
    `${build.file} is not the binary that svc was tested with (SHA-256 ${hash}): run \`npm ci\` again, and see docs/security.md if it stays so`,
  )
module.exports = require(build.file)
