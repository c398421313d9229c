import type { Revision, TeamNote } from './port.js'
import { shareSurface } from './same-idea.js'
import { stemOf, wordsOf } from './words.js'

const FORBIDS =
  /\b(never|do not|don['’]t|dont|must not|should not|no (?:experiments?|tests?|changes?)|leave|keep (?:off|away)|hands off|avoid|stop|nie|niemals|nicht|kein(?:e|en)?|jamais|ne pas|pas de|aucun(?:e)?|nunca|no (?:toca[rs]?|toques|cambiar|cambies))\b/i

/** Words that say that, how or when, and not what is meant. */
const NO_SUBJECT = new Set(
  `never do not don t dont must should no experiment experiments test tests testing change changes leave keep off away hands avoid stop alone touch
  touching edit alter modify the a an our any on in of to for with at it this that these those please again we you page pages section sections ever
  from is are be as nie niemals nicht kein keine keinen anfassen ändern die der das den dem unsere unser mehr bitte auf an jamais ne pas de la le les
  des du notre nos toucher modifier aucun aucune test sur à aux nunca tocar toques toca cambiar cambies el los las una nuestro nuestra en`
    .split(/\s+/)
    .map(stemOf),
)

/** What teams call one thing. */
const FAMILIES: readonly (readonly string[])[] = [
  ['pricing', 'price', 'plan', 'tarif', 'preis', 'prix', 'precio', 'subscription'],
  ['checkout', 'payment', 'kasse', 'paiement', 'pago'],
  ['login', 'signin', 'anmeldung', 'connexion'],
  ['signup', 'register', 'registration', 'registrierung', 'inscription', 'registro'],
  ['cart', 'basket', 'warenkorb', 'panier', 'carrito'],
  ['nav', 'navigation', 'menu', 'header'],
  ['headline', 'heading', 'h1', 'title'],
]

const familyOf = (word: string): readonly string[] =>
  FAMILIES.find((family) => family.includes(word)) ?? [word]

/** The things a note keeps proposals off, each by its words; none where it forbids nothing. */
export function forbiddenBy(note: string): string[][] {
  return note
    .split(/[.;!?\n]+/)
    .filter((sentence) => FORBIDS.test(sentence))
    .flatMap((sentence) => sentence.split(/,|\b(?:and|or|und|oder|et|ou|y|o)\b/i))
    .map((part) =>
      wordsOf(part.replace(/\bsign[ -](in|up)\b/gi, 'sign$1').replace(/\blog[ -]in\b/gi, 'login'))
        .map(stemOf)
        .filter((word) => !NO_SUBJECT.has(word)),
    )
    .filter((words) => words.length > 0)
}

/** Whether the team has said to keep off what a candidate touches: by surface, or by what its file, place and words are about. */
export function isForbidden(candidate: Revision, notes: readonly TeamNote[]): boolean {
  const { surfaces, topics, mechanism, alternatives, name } = candidate
  const said = [...surfaces.flatMap(({ path, anchor }) => [path, anchor ?? '']), ...topics, ...alternatives]
  const spaced = [...said, mechanism, name]
    .join(' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/\bsign[ -]?(in|up)\b/gi, 'sign$1 ')
    .replace(/\blog[ -]?in\b/gi, 'login ')
  const about = new Set(wordsOf(spaced).map(stemOf))
  return notes.some((note) => {
    const subjects = forbiddenBy(note.text)
    if (note.surfaces !== undefined && note.surfaces.length > 0)
      return FORBIDS.test(note.text) && shareSurface(surfaces, note.surfaces)
    return subjects.some((words) => words.every((word) => familyOf(word).some((one) => about.has(one))))
  })
}
