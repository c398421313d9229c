import type { KnownEvent, Proposal } from '../port.js'

/** One thing to do. Variants are named by key; `null`: all alternatives. */
export type Instruction =
  | { kind: 'drop'; variants: string[] }
  /** a variant is named that does not exist, or that is the control */
  | { kind: 'no variant'; named: string }
  /** two or more variants with these words, in the place of the present ones */
  | { kind: 'wordings'; words: string[] }
  | { kind: 'more'; words: string[] }
  | { kind: 'words'; words: string[]; variant: string | null }
  | { kind: 'split'; shares: number[] | 'even' | { variant: string; share: number } }
  | { kind: 'target'; eventName: string; isKnown: boolean; direction: 'increase' | 'decrease' | null }

export type Understood = { ok: true; instructions: Instruction[] } | { ok: false; unclear: string }

const DROP =
  /\b(drop|remove|delete|without|lose|take out|get rid of|entfern\w*|streich\w*|ohne|weg mit|supprime\w*|retire\w*|sans|quita\w*|elimina\w*|sin)\b/i
const BEGINS_WITH_DROP = new RegExp(`^(?:please |bitte |por favor )?(?:${DROP.source})`, 'i')
const INSTEAD =
  /\b(replace|instead of|in place of|change|ersetz\w*|statt|anstelle|remplac\w*|au lieu de|reemplaz\w*|cambia\w*|en lugar de)\b/i
const ONLY_ONE = /\b(only|just|nur|seulement|s[oó]lo) (one|1|eine?|une?|una?)\b/i
const VARIANT =
  /\b(variants?|alternatives?|versions?|options?|arms?|varianten?|alternativen?|variantes?|versiones|opción|opciones|alternativas?)\b/i
const MORE =
  /\b(more|another|additional|add|extra|third|fourth|weitere\w*|mehr|noch|zusätzlich\w*|plus de|autres?|ajoute\w*|más|otr[oa]s?|añad\w*|(one|two|three|four) more)\b/i
const EVEN =
  /\b(even(ly)?|equal(ly)?|same share|gleichmäßig|gleich verteilt|à parts égales|por igual|partes iguales)\b/i
const TARGET =
  /\b(measure|target|goal|track|metric|kpi|conversion|optimi[sz]e for|aim (at|for)|count|messen|miss|ziel|objectif|mesure\w*|cible|objetivo|medir|mide)\b/i
const LOWERS = /\b(decrease|reduce|lower|fewer|less|down|senken|verringern|réduire|baisser|reducir|bajar)\b/i
const RAISES = /\b(increase|raise|more|up|steigern|erhöhen|augmenter|aumentar|subir)\b/i
/** Words that ask for nothing. */
const POLITE =
  /^(please|thanks?( you)?|bitte|danke|s'il (te|vous) plaît|merci|por favor|gracias|make it|make them|ok(ay)?|good|nice|great|but|and|then|instead|it|the|wording|text|copy|,|\s)*$/i

/** The instructions of a text, in the order to carry them out. `unclear` is the first unclear part. */
export function instructionsOf(
  text: string,
  proposal: Proposal,
  vocabulary: readonly KnownEvent[],
): Understood {
  const quoted: string[] = []
  const masked = text
    .replace(/[⟦⟧]/g, ' ')
    .replace(
      /“([^”]+)”|„([^“”]+)[“”]|«\s*([^»]+?)\s*»|"([^"]+)"|`([^`]+)`|(?<!\p{L})'([^']+)'(?!\p{L})/gu,
      (...found) => {
        quoted.push(found.slice(1, 7).find((one) => typeof one === 'string') ?? '')
        return ` ⟦${quoted.length - 1}⟧ `
      },
    )
    .replace(/\d+(?:\s*%)?(?:\s*(?:[/:,–-]|to|and|und|et|y)\s*\d+(?:\s*%)?)+/g, (shares) =>
      shares.replace(/[^\d]+/g, '/').replace(/\/$/, ''),
    )
  const found: Instruction[] = []
  let isDropping = false
  for (const part of partsOf(masked)) {
    const words = [...part.matchAll(/⟦(\d+)⟧/g)].map(([, index]) => quoted[Number(index)] ?? '')
    const said = part.replace(/⟦\d+⟧/g, ' ').replace(/\s+/g, ' ').trim()
    // "drop b and c": the second part continues the first.
    const goesOn: Instruction[] =
      isDropping && !DROP.test(said) ? dropIn(`drop ${said}`, words, proposal) : []
    const own: Instruction[] =
      goesOn[0]?.kind === 'drop' ? goesOn : instructionsIn(said, words, proposal, vocabulary)
    isDropping = own[0]?.kind === 'drop'
    if (own.length === 0 && !(POLITE.test(said) && words.length === 0))
      return {
        ok: false,
        unclear: part
          .replace(/⟦(\d+)⟧/g, (_, index: string) => `“${quoted[Number(index)] ?? ''}”`)
          .replace(/\s+/g, ' ')
          .trim(),
      }
    found.push(...own)
  }
  return found.length === 0 ? { ok: false, unclear: text.trim() } : { ok: true, instructions: inOrder(found) }
}

/** Splits at sentences, commas and "and". Quotes in a row stay together. */
const partsOf = (text: string): string[] =>
  text
    .split(
      /[.!?]+(?=\s|$)|[;\n]+|,(?!\s*⟦)|\s+(?:and|und|et|y|then|dann|puis|luego|but|aber|mais|pero|sowie|&|\+)\s+(?!\s*⟦)/i,
    )
    .map((part) => part.trim())
    .filter((part) => part !== '')

const ORDER: readonly Instruction['kind'][] = [
  'no variant',
  'drop',
  'wordings',
  'words',
  'more',
  'split',
  'target',
]

const inOrder = (found: readonly Instruction[]): Instruction[] =>
  [...found].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))

function instructionsIn(
  said: string,
  words: readonly string[],
  proposal: Proposal,
  vocabulary: readonly KnownEvent[],
): Instruction[] {
  const named = variantIn(said, words, proposal)
  const event = eventIn(said, words, vocabulary)
  if (event !== null && (TARGET.test(said) || event.isBare))
    return [
      {
        kind: 'target',
        eventName: event.eventName,
        isKnown: event.isKnown,
        direction: LOWERS.test(said) ? 'decrease' : RAISES.test(said) ? 'increase' : null,
      },
    ]
  const shares = /\d+(?:\/\d+)+/.exec(said)?.[0]
  if (shares !== undefined) {
    // The rest of the same part may ask for more.
    const rest = instructionsIn(said.replace(shares, ' '), words, proposal, vocabulary)
    return [{ kind: 'split', shares: shares.split('/').map(Number) }, ...rest]
  }
  if (EVEN.test(said)) return [{ kind: 'split', shares: 'even' }]
  const share = /(\d{1,2})\s*(?:%|percent|prozent|pour cent|por ciento)/i.exec(said)?.[1]
  if (share !== undefined) {
    const variant =
      named ?? (/\b(control|kontrolle|contrôle)\b/i.test(said) ? proposal.variants[0]?.key : undefined)
    return variant === undefined ? [] : [{ kind: 'split', shares: { variant, share: Number(share) } }]
  }
  const others = proposal.variants.filter(({ isControl }) => !isControl).map(({ key }) => key)
  if (ONLY_ONE.test(said) && VARIANT.test(said)) return [{ kind: 'drop', variants: others.slice(1) }]
  const dropped = DROP.test(said) ? dropIn(said, words, proposal) : []
  if (dropped.length > 0) return dropped
  // Something else than a variant is to go.
  if (BEGINS_WITH_DROP.test(said) && (words.length > 0 || VARIANT.test(said))) return []
  const stranger = words.length === 0 ? null : strangerIn(said, proposal)
  if (stranger !== null) return [{ kind: 'no variant', named: stranger }]
  if (words.length > 1 && named === null && VARIANT.test(said) && !MORE.test(said) && !INSTEAD.test(said))
    return [{ kind: 'wordings', words: [...words] }]
  if (MORE.test(said) && VARIANT.test(said)) return [{ kind: 'more', words: [...words] }]
  return words.length > 0 ? [{ kind: 'words', words: [...words], variant: named }] : []
}

/** A named variant that is not an alternative: an unknown key, or the control. */
function strangerIn(said: string, { variants }: Proposal): string | null {
  const control = variants.find(({ isControl }) => isControl)?.key ?? 'control'
  if (/\b(control|kontrolle|contrôle)\b/i.test(said)) return control
  const key = /\b(?:variante?|alternative?|version|option|arm)\s+([a-z])(?![\p{L}\p{N}])/iu.exec(said)?.[1]
  return key === undefined || variants.some((one) => one.key === key.toLowerCase()) ? null : key.toLowerCase()
}

/** Filler words around the variants to drop. */
const AROUND_DROPPED =
  /^(the|a|an|of|one|variants?|please|der|die|das|den|eine?n?|la|les?|une?|el|l[ao]s|una?|bitte|por|favor|again|also|too)$/i

/** The variants to drop, by key or name, or the last one. Empty if something else is to go. */
function dropIn(said: string, words: readonly string[], proposal: Proposal): Instruction[] {
  const others = proposal.variants.filter(({ isControl }) => !isControl).map(({ key }) => key)
  const named = variantIn(said, words, proposal)
  const left = said
    .replace(DROP, ' ')
    .replace(new RegExp(VARIANT, 'gi'), ' ')
    .split(/[\s,/]+/)
    .filter((word) => word !== '')
  const isKey = (word: string): boolean => others.includes(word) || others.includes(word.toLowerCase())
  const keys = left.filter((word) => isKey(word) && !(word === 'a' && !VARIANT.test(said)))
  if (keys.length > 0 && left.every((word) => keys.includes(word) || AROUND_DROPPED.test(word)))
    return [
      {
        kind: 'drop',
        variants: others.filter((key) => keys.some((one) => one === key || one.toLowerCase() === key)),
      },
    ]
  if (named !== null) return [{ kind: 'drop', variants: [named] }]
  const stranger = strangerIn(said, proposal)
  if (stranger !== null) return [{ kind: 'no variant', named: stranger }]
  const [only, ...more] = left.filter((word) => !AROUND_DROPPED.test(word))
  if (only !== undefined && more.length === 0 && words.length === 0 && /^[a-z]$/i.test(only))
    return [{ kind: 'no variant', named: only.toLowerCase() }]
  if (!VARIANT.test(said) || words.length > 0 || only !== undefined) return []
  return [{ kind: 'drop', variants: others.slice(-1) }]
}

/** The alternative that is meant, by key, name or words. */
function variantIn(said: string, words: readonly string[], { variants }: Proposal): string | null {
  const others = variants.filter(({ isControl }) => !isControl)
  const byKey = others.find(({ key }) =>
    new RegExp(
      `\\b(?:variante?|alternative?|version|option|arm)\\s+${key}\\b|^${key}\\s*:|\\bfor ${key}\\b`,
      'i',
    ).test(said),
  )
  const byName = others.find(
    ({ displayName, key }) =>
      words.some((one) => one.toLowerCase() === displayName.toLowerCase() || one === key) ||
      (displayName.length > 2 && said.toLowerCase().includes(displayName.toLowerCase())),
  )
  return (byKey ?? byName)?.key ?? null
}

/** The event that is named. One that was never received has to look like an event's name. */
function eventIn(
  said: string,
  words: readonly string[],
  vocabulary: readonly KnownEvent[],
): { eventName: string; isKnown: boolean; isBare: boolean } | null {
  const tokens = [...words, ...said.split(/[\s,()]+/)].map((one) => one.replace(/[.:!?]+$/, ''))
  const spaced = (name: string): string =>
    name
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .replace(/[_.:-]+/g, ' ')
      .toLowerCase()
      .trim()
  const known = [...vocabulary]
    .sort((a, b) => b.eventName.length - a.eventName.length)
    .find(
      ({ eventName }) =>
        tokens.includes(eventName) ||
        (TARGET.test(said) &&
          spaced(eventName).includes(' ') &&
          said.toLowerCase().includes(spaced(eventName))),
    )
  if (known !== undefined)
    return {
      eventName: known.eventName,
      isKnown: true,
      isBare: words.length === 0 && /[_.:]/.test(known.eventName),
    }
  const looks = tokens.find(
    (one) =>
      /^[\p{L}$][\p{L}\p{N}]*(?:[_:.][\p{L}\p{N}]+)+$/u.test(one) &&
      !/\.(tsx?|jsx?|vue|svelte|html?|json)$/i.test(one),
  )
  const inQuotes = TARGET.test(said) && words.length === 1 ? words[0] : undefined
  const eventName = looks ?? inQuotes
  return eventName === undefined || !TARGET.test(said) ? null : { eventName, isKnown: false, isBare: false }
}
