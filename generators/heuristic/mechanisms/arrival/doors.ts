import type { Door } from '../../idea.js'
import { type Element, elementsIn, given, type Page, wordsIn } from '../../markup/tree.js'
import { bare, isButton, isLink } from '../../surface.js'
import { wordedPath } from '../../uses.js'
import { STARTS } from '../leads/starts.js'

const MAX_DOORS = 12

/** Where those who have an account sign in, as addresses call it: of some pages newcomers are led there too. */
const DOOR =
  /^\/(?:[\w-]+\/)*(auth\w*|log-?in|sign-?in|account|anmelden|konto|connexion|compte|cuenta|acceso|entrar|iniciar-sesion)\/?(?=[?#]|$)/i

/** What code goes to when something is pressed. */
const GOES =
  /\b(?:navigate|push|goto|navigateTo|setLocation)\(\s*["'`](\/[^"'`\s]*)["'`]|\blocation(?:\.href)?\s*=\s*["'`](\/[^"'`\s]*)["'`]/

/** Pages on which one signs in, and those for who has done so: what leads there from them is for who has an account. */
const INSIDE =
  /(^|[/_.-])(auth\w*|log-?in|sign-?in|sign-?up|regist\w*|forgot|reset|verif\w*|confirm\w*|callback|dashboard|profile|settings|account|emails?|demo|examples?)([/_.-]|$)/i

const BEGINS =
  /^(get started|sign ?up|register|join|start|try|begin|become an?|create (an|your|my|a)|jetzt|kostenlos|gratis|registrieren|konto|mitmachen|loslegen|s['’]inscrire|je m['’]inscris|créer|essayer|commencer|regístr|registr|crear|empezar|únete|prueba|probar)/iu
const SIGNS_IN =
  /\b(log|sign)[ -]?in\b|\blogin\b|anmeld|einlogg|log-?ge|connect|connexion|\bsesión|acceder|entrar|ingresar|(my|mein|mon|mi) (account|konto|compte|cuenta)/iu

/** Whether words are for those who have no account yet, and for nobody else. */
const isForNewcomers = (label: string): boolean => {
  const said = bare(label)
  return (STARTS.test(said) || BEGINS.test(said)) && !SIGNS_IN.test(said) && said.split(' ').length <= 6
}

/** Where an element leads, by its address or the code that runs when it is pressed. */
function leadsTo({ text }: Page, one: Element): string | null {
  if (isLink(one)) return given(one, 'href') ?? given(one, 'to')
  if (!isButton(one)) return null
  const press = one.attributes.find(({ name }) => /^(on:?click$|@click|v-on:click)/i.test(name))
  const found = press === undefined ? null : GOES.exec(text.slice(press.start, press.end))
  return found?.[1] ?? found?.[2] ?? null
}

/** Ways to where one signs in, each with whom its words are for; the same words once. */
export function doorsOf(page: Page): Door[] {
  if (INSIDE.test(wordedPath(page.path))) return []
  const found: Door[] = []
  for (const one of elementsIn(page.root)) {
    const to = leadsTo(page, one)
    const href = to === null ? undefined : DOOR.exec(to)?.[0].replace(/(.)\/$/, '$1')
    if (href === undefined || found.length === MAX_DOORS) continue
    const label = wordsIn(one)
    if (!found.some((other) => other.href === href && other.label === label))
      found.push({ href, label, isForNewcomers: isForNewcomers(label) })
  }
  return found
}
