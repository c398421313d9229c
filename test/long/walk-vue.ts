import { VUE_SITE } from '../support/front-ends/walk/bundled-sites.js'
import { runWalk } from '../support/front-ends/walk/run-walk.js'

runWalk('a page of Vue', VUE_SITE)
