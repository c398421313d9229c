import type { Evidence, View } from '../../idea.js'
import { isAt } from '../../pages-at.js'
import { isStartPage } from '../opening/hero.js'

/** Parts of which start pages are made, by their folder. */
const OF_START = /(^|\/)(home|home-?page|landing|landing-?page|start|startseite|accueil|inicio|marketing)\//i

/** Whether what a file says is said of what is done on the page: it opens the site, or leads to the page itself. What other pages say may be of something else. */
export const leadsHere = ({ page, site }: View, { path }: Pick<Evidence, 'path'>): boolean =>
  isStartPage(path) ||
  OF_START.test(path) ||
  (site?.ways ?? []).some((way) => way.path === path && isAt(way.href, path, page.path))
