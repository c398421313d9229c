import { SVELTEKIT } from '../support/front-ends/walk/rendered-sites.js'
import { runWalk } from '../support/front-ends/walk/run-walk.js'

runWalk('a page of SvelteKit', SVELTEKIT, 'ef')
