'use strict'
const { buildForThisSystem } = require('./build.cjs')

// The name `uWebSockets.js` for whoever imports it, hyper-express too. No build is asked to choose for itself: one falls back to an imitation in JavaScript where its binary does
// not load, the other speaks of versions only.
const build = buildForThisSystem()
if (build.problem !== undefined) throw new Error(build.problem)
module.exports = require(build.file)
