import { stemOf, wordsOf } from './lexicon/words.js'
import type { RevisedCandidate, TeamNote } from './port.js'
import { samePlace } from './same-place.js'

/** Ways to say that something must stay as it is. */
const FORBIDS: readonly RegExp[] = [
  /\b(never|do not|don['’]t|dont|must not|may not|should not|shouldn['’]t|mustn['’]t|nobody (?:may )?touch(?:es)?|avoid)\b/i,
  /\bno (?:more |further )?(?:experiments?|experimenting|tests?|testing|changes?|edits?|modifications?|touching)\b/i,
  /\bstop (?:testing|touching|changing|editing|experimenting)\b/i,
  // "Leave out" asks for a change.
  /\b(?:leave|leaving)\b(?! out\b).*\b(?:alone|untouched|unchanged|in peace|as (?:it|they|is|that) ?(?:is|are)?|be$)/i,
  /\bkeep (?:well )?(?:off|away|clear|out of|your (?:hands|fingers|paws) (?:off|away))\b/i,
  /\b(?:stay|steer) (?:well |far )?(?:away|clear|off|out of)\b/i,
  /\bhands off\b(?! (?:approach|mode|onboarding|set-?up|experience))/i,
  /\b(?:off[- ]limits|out of bounds|no-go|taboo|untouchable|sacrosanct)\b/i,
  /\b(?:nie|niemals|nicht|kein(?:e|en)?)\b/i,
  /\b(?:finger|hände|pfoten) weg\b|\bin (?:ruhe|frieden)\b.*\b(?:ge)?lass\w*|\blass\w*\b.*\bin (?:ruhe|frieden)\b/i,
  /\b(?:unangetastet|unberührt|unantastbar|tabu)\b/i,
  /\b(?:jamais|ne pas|ne plus|pas de|aucun(?:e)?|pas touche|interdit (?:de|d['’])|bas les pattes)(?!\p{L})/iu,
  /\bn(?:e |['’]y )(?:touch|retouch|modifi|chang|test|boug)\p{L}* (?:pas|plus|jamais)(?!\p{L})/iu,
  /\b(?:re)?touche[rz]? pas(?!\p{L})/iu,
  /\blaiss\p{L}*\b.*(?:tranquilles?|en paix|tel(?:le)?s? quel(?:le)?s?|intacte?s?)(?!\p{L})/iu,
  /\b(?:tabous?|intouchables?)\b/i,
  /\bnunca\b|\b(?:no|ni) (?:lo |la |los |las |se )?(?:to[cq]u?|cambi|modifi[cq]u?|edit|prueb)\p{L}*|\bprohibido (?:tocar|cambiar|modificar)/iu,
  /\bd[eé]j\p{L}*(?: .*)? (?:en paz|tranquil[oa]s?|como est[aá]n?|intact[oa]s?)(?!\p{L})/iu,
  /\bmanos fuera\b|\b(?:intocables?|tabú(?:es)?)(?!\p{L})/iu,
]

/** Ways to say that this is over: "no longer off limits". */
const LIFTS =
  /(?:\bnot|n['’]t|\bno longer|\bnicht(?: mehr| länger)?|\bkein(?:e)?|\b(?:pas|plus)|\bno)(?: (?:es|está|son|un|a|an|any ?more))* (?:off[- ]limits|out of bounds|no-go|taboo|untouchable|tabu|tabous?|tabú|intouchables?|intocables?)(?!\p{L})/iu

const forbids = (sentence: string): boolean =>
  !LIFTS.test(sentence) && FORBIDS.some((form) => form.test(sentence))

/** From here on a sentence gives the reason, or the time. */
const WHY =
  /\b(?:because|since|until|till|while|as long as|weil|denn|solange|bis|parce que|puisque|tant que|porque|ya que|hasta|mientras)\b.*$/i

/** Words that do not name what the note is about. */
const NO_SUBJECT = new Set(
  `never do not don t dont must should no experiment experiments test tests testing change changes leave keep off away hands avoid stop alone touch
  touching edit alter modify the a an our any on in of to for with at it this that these those please again we you page pages section sections ever
  from is are be as nie niemals nicht kein keine keinen anfassen ändern die der das den dem unsere unser mehr bitte auf an jamais ne pas de la le les
  des du notre nos toucher modifier aucun aucune test sur à aux nunca tocar toques toca cambiar cambies el los las una nuestro nuestra en
  your my their all everything anything kindly finger paw hand limit bound go taboo untouchable sacrosanct stay steer clear well far out peace untouched
  unchanged nobody may completely totally absolutely entirely strictly now more further experimenting edit modification leaving keeping
  finger hände pfoten weg von vom zu zur ruhe frieden lassen lasst lass gelassen in ist sind bleibt bleiben werden wird darf dürfen soll sollen tabu
  unangetastet unberührt unantastbar seite bereich abschnitt angefasst geändert testen einfach
  au touchez touche retouchez retoucher modifiez changez changer testez tester plus jamai pa laissez laisser laisse tranquille tranquilles paix tel telle
  quel quelle intact tabou intouchable interdit est sont svp veuillez merci d l s n y il faut section bas les pattes
  no ni se tocan toquen toquéis tocad tocarlo cambien modificar modifiquen editar dejar deja dejad dejen dejemos dejarlo paz tranquilo tranquila como
  está están intacto intacta tabú intocable prohibido manos fuera por favor es son página sección del lo al`
    .split(/\s+/)
    .map(stemOf),
)

/** Words for the same thing. */
const FAMILIES: readonly (readonly string[])[] = [
  ['pricing', 'price', 'plan', 'tarif', 'preis', 'prix', 'precio', 'subscription'],
  ['checkout', 'payment', 'kasse', 'paiement', 'pago'],
  ['login', 'signin', 'anmeldung', 'connexion'],
  ['signup', 'register', 'registration', 'registrierung', 'inscription', 'registro'],
  ['cart', 'basket', 'warenkorb', 'panier', 'carrito'],
  ['nav', 'navigation', 'menu', 'header'],
  ['form', 'formular', 'formulaire', 'formulario'],
  ['headline', 'heading', 'h1', 'title'],
]

const familyOf = (word: string): readonly string[] =>
  FAMILIES.find((family) => family.includes(word)) ?? [word]

const SENTENCES = /[.;!?\n]+/

/** The things that a note forbids, each by its words. Empty if it forbids nothing. */
export function forbiddenBy(note: string): string[][] {
  return note
    .split(SENTENCES)
    .filter(forbids)
    .flatMap((sentence) => sentence.replace(WHY, '').split(/,|\b(?:and|or|und|oder|et|ou|y|o)\b/i))
    .map((part) =>
      wordsOf(part.replace(/\bsign[ -](in|up)\b/gi, 'sign$1').replace(/\blog[ -]in\b/gi, 'login'))
        .map(stemOf)
        .filter((word) => !NO_SUBJECT.has(word)),
    )
    .filter((words) => words.length > 0)
}

/** Whether a note forbids a candidate: by its surface, or by what its file, place and words are about. */
export function isForbidden(candidate: RevisedCandidate, notes: readonly TeamNote[]): boolean {
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
      return (
        note.text.split(SENTENCES).some(forbids) &&
        samePlace({ ...note, surfaces: note.surfaces }, candidate, true)
      )
    return subjects.some((words) => words.every((word) => familyOf(word).some((one) => about.has(one))))
  })
}
