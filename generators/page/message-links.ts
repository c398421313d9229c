/** Links that open a message, and the parameters that fill in its words. */
const MESSAGE_LINKS: readonly { is: RegExp; words: RegExp }[] = [
  { is: /^https:\/\/(?:wa\.me|(?:api|web)\.whatsapp\.com)\//i, words: /^text$/i },
  { is: /^mailto:/i, words: /^(?:subject|body)$/i },
  { is: /^sms:/i, words: /^body$/i },
]
const IN_SOURCE =
  /(?:https:\/\/(?:wa\.me|(?:api|web)\.whatsapp\.com)\/|mailto:|sms:)[^\s"'`<>{}]*\?[^\s"'`<>{}]+/gi

/**
 * The address that a link writes to, without the words that it fills in: these are copy. Any other address is
 * returned as it is, also one whose words hold an address.
 */
export function withoutWords(address: string): string {
  const kind = MESSAGE_LINKS.find(({ is }) => is.test(address))
  const at = address.indexOf('?')
  if (kind === undefined || at < 0 || address.includes('#')) return address
  const isCopy = (part: string): boolean =>
    kind.words.test(part.split('=')[0] ?? '') && !/:\/\/|\bwww\./i.test(decoded(part))
  const rest = partsOf(address.slice(at + 1)).filter((part) => !isCopy(part))
  return address.slice(0, at) + (rest.length === 0 ? '' : `?${rest.join('&')}`)
}

/** The words that the links in a piece of source fill in. */
export const filledIn = (source: string): string[] =>
  [...source.matchAll(IN_SOURCE)].flatMap(([address]) =>
    partsOf(address.slice(address.indexOf('?') + 1)).map((part) =>
      decoded(part.slice(part.indexOf('=') + 1)),
    ),
  )

const partsOf = (query: string): string[] => query.split(/&(?:amp;)?/).filter((part) => part !== '')

/** A part of an address as it reads. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    // A browser shows what cannot be decoded as it is.
    return part
  }
}
