import type { Language } from './language.js'

/** How a text speaks to whoever reads it, in languages that have two ways. */
interface Address {
  near: RegExp
  polite: RegExp
}

const ADDRESS: Readonly<Partial<Record<Language, Address>>> = {
  de: {
    near: /(?<!\p{L})(?:du|dich|dir|dein(?:e[nmrs]?)?|Du|Dich|Dir|Dein(?:e[nmrs]?)?|[Ee]uch|[Ee]ue?re?[nmrs]?)(?!\p{L})/gu,
    polite: /(?<!\p{L})(?:Sie|Ihnen|Ihr(?:e[nmrs]?)?)(?!\p{L})/gu,
  },
  fr: {
    near: /(?<![\p{L}-])(?:tu|toi|tes|ton|ta|t['’](?=\p{L}))(?![\p{L}])/giu,
    polite: /(?<!\p{L})(?:vous|votre|vos|(?!chez|assez|nez|rez)\p{L}{3,}ez)(?!\p{L})/giu,
  },
}

const countOf = (words: string, form: RegExp): number => words.match(form)?.length ?? 0

/** Which of the two a text uses; `null` where it uses neither, or both as often. */
function addressIn(words: string, language: Language): keyof Address | null {
  const forms = ADDRESS[language]
  if (forms === undefined) return null
  const difference = countOf(words, forms.near) - countOf(words, forms.polite)
  return difference === 0 ? null : difference > 0 ? 'near' : 'polite'
}

/** Whether a line says `du` or `tu` where the page that it would stand on says `Sie` or `vous`, or the other way round. */
export function isAddressedOtherwise(line: string, around: string, language: Language | null): boolean {
  if (language === null) return false
  const own = addressIn(line, language)
  const other = own === null ? null : addressIn(around, language)
  return other !== null && own !== other
}
