import { runWalk } from '../support/front-ends/walk/run-walk.js'
import { STATIC_SITE } from '../support/front-ends/walk/static-site.js'

runWalk('a page that is served as it is', STATIC_SITE)
