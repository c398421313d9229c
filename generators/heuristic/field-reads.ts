/** How code reads fields of forms by their names, as far as a form without one would show it. */
export interface FieldReads {
  /** read as if they were there: printed, compared, or handed on */
  asTheyAre: string[]
  /** what is sent is turned down without them, or called after them */
  needed: string[]
}

/** What forms ask for and could do without; other names need not be known. */
const SPARE =
  /phone|\btel|mobile|compan|organi[sz]ation|unternehmen|firma|soci[eé]t[eé]|entreprise|empresa|fax|middle|salutation|anrede|civilit|tratamiento|website|homepage|title|position|birth|geburt|naissance|nacimiento|source|src|hear|connu|referr|discover|subject|betreff|objet|asunto/i

const GOT = /\.get\(\s*["'`]([\w.-]+)["'`]\s*\)(?!\s*(?:as [\w| ]+)?\)?\s*(?:\|\||\?))/g
const PRINTED = /\$\{\s*(?:[\w$]+\??\.)*([\w$]+)\s*\}/g
const COMPARES = /isEqual|deepEqual|compare\w*address|addresses?match|same\w*address/i
const LISTED = /["']([\w.-]+)["']/g
const SUBJECT = /\b(?:subject|betreff|asunto|sujet)\s*[:=]([^\n]{1,200})/gi
const MAY_INSIST = /\.string\(|required|allowNull/
const INSISTS = [
  /["']?\b([\w]+)["']?\s*:\s*(?:z|zod|v)\s*\.?\s*\.string\((?:[^()\n]|\([^()\n]*\))*\)(?![^\n,]*(?:optional|nullish|nullable|default|\.or\())(?![^,\n]*\n\s*\.[^,]*(?:optional|nullish|nullable|default|\.or\())/g,
  /["']?\b([\w]+)["']?\s*:\s*(?:yup|Yup|joi|Joi)\b[^,]*\.required\(/g,
  /["']?\b([\w]+)["']?\s*:\s*\{[^{}]{0,200}?\b(?:required\s*:\s*(?:true|\[)|allowNull\s*:\s*false)/g,
]

/** @param code without comments */
export function fieldReadsOf(code: string): FieldReads {
  const named = (form: RegExp): string[] => [...code.matchAll(form)].flatMap(([, name = '']) => name)
  const compared = COMPARES.test(code) ? named(LISTED) : []
  // What has something in its place is not needed.
  const subjects = named(SUBJECT)
    .filter((one) => !/\|\||\?/.test(one))
    .flatMap((one) => one.match(/[\w$]+/g) ?? [])
  const insisted = MAY_INSIST.test(code) ? INSISTS.flatMap(named) : []
  return {
    asTheyAre: spare([...named(GOT), ...named(PRINTED), ...compared]),
    needed: spare([...subjects, ...insisted]),
  }
}

const spare = (names: readonly string[]): string[] =>
  [...new Set(names)].filter((one) => SPARE.test(one) && one.length <= 60).sort()
