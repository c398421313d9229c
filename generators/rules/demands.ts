import { ALL_LEXICONS } from '../lexicon/lexicons.js'
import { type FormField, wordsOfCode } from '../page/forms.js'

/** Code that receives what forms send. */
const RECEIVES =
  /\b(req|request|ctx|c|event)\.(body|json\(|formData\(|request\.|req\.)|\breadBody\b|\bactions\b[^=\n]*=|\bSchema\(|express-validator|class-validator|\bsequelize\b|\bpgTable\(|\bmodel \w+ \{|\bcreate table\b|\$_POST|\brequest\.(form|data|POST)\b/i
/** Code that says what a form has to contain, which may stand in a component. */
const DESCRIBES = /\bz\.\w*object\b|\byup\b|\bjoi\b|\bvalibot\b|["']use server["']/i
const CODE = /\.([cm]?[jt]s|prisma|sql|php|py|rb|go|graphql)$/i
const COMPONENT = /\.([jt]sx|vue|svelte)$/i
const NOT_RUN =
  /(^|\/)(node_modules|tests?|__tests__|__mocks__|e2e|cypress|fixtures)\/|\.(test|spec|d)\.[^/]*$/i

/** Words of a statement that may refuse a form. */
const CHECKS =
  /\bif\b|requir|missing|mandatory|valid|\b(z|v|s|t)\.\w|\byup|\bjoi|\bmin|length|\.(test|match|trim|replace|toString|split|notNull)\(|throw|assert|(is|not)_?empty|not null|![\w( ]|[!=]==?|@Is|["'](?=\s*,?\s*$)|\[\s*["'].*["']\s*\]|\bevery\(|\bsome\(|\bString$/i

/**
 * The statements in which servers and schemas of a file may refuse what a form sends. `null` for a file that
 * receives nothing.
 */
export function checksIn(path: string, text: string): string[] | null {
  const isReceiver =
    (CODE.test(path) && RECEIVES.test(text)) ||
    ((CODE.test(path) || COMPONENT.test(path)) && DESCRIBES.test(text))
  if (!isReceiver || NOT_RUN.test(path)) return null
  const code = text
    .replace(/\/\*[\s\S]{0,4000}?\*\/|(?<![:'"`])\/\/[^\n]*/g, '')
    // Chains, conditions, decorators and the objects of one field are one statement.
    .replace(/\n\s{0,200}(?=[.?:|&])|(?<=^[ \t]{0,40}@\w{1,40}\([^\n]{0,300}\))[ \t]*\n/gm, ' ')
    .replace(/\w+\s*:\s*(?:\w+\(\s*)?\{[^{}]*\}/g, (field) => field.replace(/\s*\n\s*/g, ' '))
  return code.split('\n').filter((line) => CHECKS.test(line))
}

/** Whether a statement that names the field may refuse a form without it. */
export function isDemanded({ names, kind }: FormField, checks: readonly string[] | null): boolean {
  const isField = (word: string): boolean =>
    names.includes(word) ||
    ((kind === 'phone' || kind === 'company') &&
      ALL_LEXICONS.some(({ fields }) => fields[kind].test(wordsOfCode(word))))
  return (checks ?? []).some((line) =>
    [...new Set(line.match(/[A-Za-z_]\w*/g))].some((word) => isField(word) && !isTolerated(word, line)),
  )
}

/** `phone || ''`, `phone ? … : …`, `if (phone)`, `.optional()`, `required: false`. */
function isTolerated(word: string, line: string): boolean {
  const before = line.slice(0, line.search(new RegExp(`\\b${word}\\b`)))
  return (
    !new RegExp(`!\\s*(\\w+\\??\\.)*${word}\\b`).test(line) &&
    (new RegExp(
      `\\b${word}\\b['")\\]]*\\s*(\\?\\?|\\|\\|\\s*(['"\`]|null|undefined)|\\?|&&)|\\bif ?\\((\\w+\\.)*${word}\\)`,
    ).test(line) ||
      (new RegExp(`\\b${word}\\b['"]?\\s*:`).test(line) &&
        /\.(optional|nullish|nullable|default|allow)\(|required: ?false|allowNull: ?true/.test(
          line.slice(before.length),
        )) ||
      (/\bget\(['"]$/.test(before) && !/\.(trim|toString|replace)\(/.test(line)))
  )
}
