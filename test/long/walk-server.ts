import { REACT_ON_SERVER } from '../support/front-ends/walk/rendered-sites.js'
import { runWalk } from '../support/front-ends/walk/run-walk.js'

runWalk('a page that a server renders with React', REACT_ON_SERVER)
