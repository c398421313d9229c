/** Words of streets in the languages of the lexicon, which stand before or after a name. */
const STREET = new RegExp(
  [
    // English words stand at the end, so that `Dr. Miller` is no street.
    String.raw`\p{L} (street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|way|square|highway|hwy|parkway|terrace|crescent)\.?( [nsew]{1,2})?( #?\d\w*)?(,|$)`,
    String.raw`(stra(ß|ss)e|str\.|weg|platz|allee|gasse|damm|ufer|chaussee)(?!\p{L})|\p{Ll}(ring|markt|hof) \d`,
    String.raw`\b(rue|avenue|boulevard|bd|place|impasse|chemin|route|quai|all[eé]e|cours)\b`,
    String.raw`\b(calle|avenida|avda?|paseo|plaza|carrera|rua|travessa|pra[cç]a|largo|alameda|estrada)\b|^(c\/|r\.) ?\p{Lu}`,
    String.raw`\b(via|viale|corso|piazza|vicolo)\b`,
    String.raw`\p{Ll}(straat|laan|plein|gracht|kade|singel|dijk) \d`,
    String.raw`^(ul|al|os)\. ?\p{L}|^(ulica|aleja|plac|osiedle) \p{L}`,
    String.raw`\p{L} (cad|sok|sk|bulv)\.|\p{L} (caddesi|sokak|sokağı|bulvarı)(?!\p{L})`,
  ].join('|'),
  'iu',
)
/** A postal code beside the name of a place, or a place with its state. */
const TOWN =
  /(^|[\s,])([A-Z]{1,2}-)?\d{4,6}(-\d{3,4})? \p{L}{3}|(^|[\s,])(\d{4} ?[A-Z]{2}|\d{2}-\d{3}) \p{L}{3}|\p{L}{3},? ([A-Z]{2},? )?(\d{5,6}|\d{5}-\d{3,4}|[A-Z]\d[A-Z] \d[A-Z]\d|[A-Z]{1,2}\d{1,2} \d[A-Z]{2})$|^\p{Lu}[\p{L} .'-]+, [A-Z]{2}$/u
/** Parts that name no place: a floor, a shop in a mall. */
const INSIDE =
  /^(unit|suite|apt|floor|shop|sala|loja|piso|bajo|local|stock|[eé]tage|\d+(st|nd|rd|th) floor)\b/i
/** Addresses that templates invent, and famous ones. */
const SAMPLE =
  /(^|\D)(123|1234|12345|456|000+)(?!\d)|muster|example|exemplo|ejemplo|esempio|voorbeeld|przykład|örnek|sample|\byour\b|anytown|lorem|luxury|pennsylvania ave|baker st|evergreen terr|springfield|placeholder/i
/** Words before an address that say that it is one. */
const LABEL =
  /^[^\p{L}\d]*(?:(?:our |unsere |notre |nuestra )?(?:address|location|adresse|anschrift|standort|direcci[oó]n|ubicaci[oó]n|endere[cç]o|morada|indirizzo|adresi?|siedziba|visit us|find us|head office)\s*[:-]\s*)?[^\p{L}\d(]*/iu

const MAX_LENGTH = 130
const MAX_WORDS = 6
/** More of them are a telephone number. */
const MAX_DIGITS = 8

const BETWEEN = /\s*[,·|•]\s*|\s+[–-]\s+/

/** The address without a name before the street. Floors and houses with a number stay. */
export function withoutName(text: string): string {
  const parts = text.split(BETWEEN)
  const first = parts.findIndex((part) => STREET.test(part) || /\d/.test(part) || BUILDING.test(part))
  const start = first < 1 ? 0 : text.indexOf(parts[first] ?? '', parts.slice(0, first).join('').length)
  return text.slice(start)
}
const BUILDING = /\b(building|tower|plaza|mall|cent(er|re)|house|park|complex|edif[ií]cio)\b/i

/** The length of the label or the sign before an address. */
export const labelLength = (text: string): number => LABEL.exec(text)?.[0].length ?? 0

/**
 * Whether a text is one postal address and nothing else: a street with a number, and a place with its code
 * or state, which invented addresses lack. No sentence, and no address that a template invents.
 */
export function isAddress(text: string): boolean {
  const parts = text.split(BETWEEN).filter((part) => part !== '')
  const isPart = (part: string): boolean =>
    /^[\p{L}\d#(][\p{L}\d\s.'’()°º&/#–-]*$/u.test(part) &&
    part.split(/\s+/).length <= MAX_WORDS &&
    part.replace(/\D/g, '').length <= MAX_DIGITS
  if (
    !parts.some((part) => STREET.test(part)) ||
    text.length > MAX_LENGTH ||
    !/\d/.test(text) ||
    SAMPLE.test(text)
  )
    return false
  return parts.every(isPart) && TOWN.test(text) && !/\p{Ll}{4,}\.(\s+\p{L}|$)/u.test(text)
}

/** Whether a line may be one of an address in several lines: the street, or the town with its code. */
export const isLine = (text: string): boolean =>
  text.length < 60 && (STREET.test(text) || TOWN.test(text) || INSIDE.test(text))
