/** Numbers that templates invent. */
const SAMPLE =
  /(\d)\1{4}|0000|1234|4567|555|^\+?00|^\+?\d{0,3}9876|79460|23456|34567|56789|67890|98765|87654|76543|65432|54321/

/** Whether a template invented the number, given as digits with or without a plus. */
export const isSampleNumber = (digits: string): boolean => SAMPLE.test(digits)

/** A number with the code of its country, in a link or as text. */
const INTERNATIONAL = /(?:(?<![\w.)\]])\+|wa\.me\/\+?)(\d[\d\s().-]{8,18}\d)(?!\w)/g
/** Codes of one and of two digits. All others have three. */
const CODE = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/
/** Countries whose numbers keep all of their digits after the code. */
const KEEPS_ALL = /^(30|34|39|45|47|48|351|420)$/
/** Countries whose numbers have a zero before the area, which the code replaces. */
const DROPS_ZERO = /^(27|31|32|33|4[01346-9]|6[1246]|90|91|353|380|977)$/

/** Forms of whole numbers without the code, in countries that put it before all of the digits. */
const WHOLE: Readonly<Record<string, RegExp>> = {
  1: /^[2-9]\d{9}$/,
  55: /^[1-9]\d{9,10}$/,
  91: /^[6-9]\d{9}$/,
}

/** Languages of pages that one country speaks, with its code. */
const BY_LANGUAGE: readonly (readonly [code: string, html: RegExp])[] = [
  ['39', /<html[^>]*\blang=["']it\b/i],
  ['48', /<html[^>]*\blang=["']pl\b/i],
  ['90', /<html[^>]*\blang=["']tr\b/i],
]

/** The codes of countries in the numbers of a file, and that of its language if one country speaks it. */
export function callingCodesIn(text: string): string[] {
  const numbers = [...text.matchAll(INTERNATIONAL)].flatMap(([, said = '']) => {
    const digits = said.replace(/\D/g, '')
    const isNumber = digits.length >= 10 && digits.length <= 14 && !isSampleNumber(digits)
    return isNumber ? (CODE.exec(digits)?.[0] ?? []) : []
  })
  return [...numbers, ...BY_LANGUAGE.flatMap(([code, html]) => (html.test(text) ? [code] : []))]
}

/** The number with the code of the only country of the site. As it is if that is not certain. */
export function withCallingCode(digits: string, codes: ReadonlySet<string>): string {
  const [code, ...others] = codes
  // “+234 0811…”: behind the code of a country the zero is not dialled.
  const own = CODE.exec(digits.replace(/^\+/, ''))?.[0] ?? ''
  if (digits.startsWith(`+${own}0`) && !KEEPS_ALL.test(own)) return `+${own}${digits.slice(own.length + 2)}`
  if (code === undefined || others.length > 0 || digits.startsWith('+') || digits.startsWith('00'))
    return digits
  if (KEEPS_ALL.test(code)) return `+${code}${digits}`
  if (WHOLE[code]?.test(digits) === true) return `+${code}${digits}`
  return DROPS_ZERO.test(code) && /^0[1-9]/.test(digits) ? `+${code}${digits.slice(1)}` : digits
}

/** Whether an address of `tel:` is the number with the code of a country before it. */
export const isInternational = (value: string, digits: string): boolean =>
  value.startsWith('+') && withCallingCode(digits, new Set(CODE.exec(value.slice(1))?.slice(0, 1))) === value
