'use strict'
const { buildForThisSystem } = require('./build.cjs')

// Imported as `uWebSockets.js`, also by hyper-express. The builds do not choose for themselves: if its binary
// does not load, one falls back to an imitation in JavaScript, and the other only complains about versions.
const build = buildForThisSystem()
if (build.problem !== undefined) throw new Error(build.problem)
module.exports = require(build.file)
