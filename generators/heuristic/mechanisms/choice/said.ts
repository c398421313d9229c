import { escaped } from '../../../words.js'
import { bare } from '../../surface.js'

/** What a page says of what others choose, or of what it would choose itself, in any of the languages. */
const CHOSEN_MOST =
  /\bmost (popular|chosen|common|loved|booked|ordered)\b|\b(our|customer|reader) favou?rite\b|\bbest[- ]?(seller|selling|value|choice)\b|\brecommended\b|\bwe recommend\b|\bmost (people|households|customers|families|teams|users|guests|members|of (us|you|our))\b|\b(am )?(beliebteste[rs]?|beliebtesten|meistgewählt\w*|meistgekauft\w*|häufigsten gewählt|bestseller)\b|\bempfohlen\b|\bunsere empfehlung\b|\bwir empfehlen\b|\bdie meisten\b|\ble plus (choisi|populaire|demandé|vendu|courant)\b|\bla plus (choisie|populaire|demandée|vendue)\b|\bplus populaire\b|\brecommandée?\b|\bnous (recommandons|conseillons)\b|\bla plupart\b|\bmeilleure vente\b|\b(el|la|lo) más (popular|elegid[oa]|vendid[oa]|pedid[oa]|habitual)\b|^más popular\b|\brecomendad[oa]\b|\brecomendamos\b|\bla mayoría\b|\benough for most\b|\bsuffit (pour|à)\b|\breicht (für|den meisten)\b|\bbasta para\b/iu

/** What one of these words has; most have none, and need not be looked at closely. */
export const MAY_BE =
  /most|popul|enough|favo|best|recom|wähl|kauft|belieb|empf|meist|plus|conseil|plupart|más|mayor|suffit|reicht|basta/i

/** Not what it seems to be: of somebody else, of long ago, or what holds only sometimes. */
const NOT_SO = /\b(not|never|no longer|nicht|kein\w*|pas|jamais|nunca|ya no)\b|\?/i

/** What is given on top, and by what is reckoned: figures that name no option. */
const RECKONED = /\b(buy|get|free|gratis|offerts?|geschenkt|kaufe?n?|regalo)\b|[%$€£]/i

export const saysChosen = (words: string): boolean =>
  MAY_BE.test(words) && CHOSEN_MOST.test(words) && !NOT_SO.test(words)

/** A sentence that can name an option of a list: it says what most choose, and none of its figures is reckoned with. */
export const mayName = (sentence: string): boolean => saysChosen(sentence) && !RECKONED.test(sentence)

/** A label of its own, and no sentence that only comes by the words. */
export const isMark = (words: string): boolean => words.length <= 40 && saysChosen(words)

/** A label that is nothing but such words: an order in which things are listed. */
export const isMarkAlone = (label: string): boolean =>
  label !== '' && label.replace(CHOSEN_MOST, '').replace(/[^\p{L}\d]/gu, '') === ''

/** Properties of data that say the same of what they are set for. */
export const MARK_NAME =
  /^(is|most)?_?(most)?_?(popular|recommended|best_?value|best_?seller|beliebt|empfohlen|populaire|recommandee?|recomendad[oa])$/i

const NUMBERS: readonly (readonly string[])[] = [
  ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
  ['eine?n?', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun', 'zehn', 'elf', 'zwölf'],
  ['une?', 'deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf', 'dix', 'onze', 'douze'],
  ['un[oa]?', 'dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho', 'nueve', 'diez', 'once', 'doce'],
]

/** Where a sentence names an option, by its words or as a number in words; -1 where it does not. */
export function placeIn(sentence: string, option: string): number {
  const words = bare(option)
  const number = /^\d+$/.test(words) ? Number(words) : null
  const forms =
    number === null
      ? [escaped(words)]
      : [words, ...NUMBERS.flatMap((one) => (number < 2 ? [] : (one[number - 1] ?? [])))]
  if (words === '' || (number === null && words.length < 3)) return -1
  return sentence
    .toLowerCase()
    .search(new RegExp(`(?<![\\p{L}\\d])(?:${forms.join('|')})(?![\\p{L}\\d])`, 'u'))
}

export const sentencesOf = (words: string): string[] => words.split(/(?<=[.!?])\s+/)
