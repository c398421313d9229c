/** Keys made from names: `[a-z0-9]` in groups joined by `-`. */
export const KEY_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$'
export const KEY_LENGTH = 64

const MARKS = /\p{M}+/gu
/** Letters that do not decompose into a base letter and a mark. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
}

/**
 * A key made from a name: Latin letters lose their marks; all but ASCII letters and digits separates groups.
 */
export function slugOf(name: string, fallback: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(/[ßæœøđðłþı]/g, (letter) => SPELLED[letter] ?? '')
  return cut(plain.replace(/[^a-z0-9]+/g, '-').replace(/^-/, ''), KEY_LENGTH) || fallback
}

/** The slug, or the slug with the first free number from 2 up. */
export function freeSlug(slug: string, isTaken: (key: string) => boolean): string {
  for (let n = 1; ; n++) {
    const key = n === 1 ? slug : numberedSlug(slug, n)
    if (!isTaken(key)) return key
  }
}

/** `slug-n`, with the slug shortened if both are too long together. */
export function numberedSlug(slug: string, n: number): string {
  const suffix = `-${n}`
  return cut(slug, KEY_LENGTH - suffix.length) + suffix
}

/** Cuts between two words, unless that would leave less than half of the length. */
function cut(slug: string, length: number): string {
  const end = slug.length > length ? slug.lastIndexOf('-', length) : length
  return slug.slice(0, end > length / 2 ? end : length).replace(/-$/, '')
}
