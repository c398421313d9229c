import type { Change } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { attribute, besides, type Element, given, has, isInCode, wordsIn } from '../../markup/tree.js'
import { anchorOf, bare, cutAt, hrefOf, isButton, isLink, labelOf, OTHERS_SITES } from '../../surface.js'
import { CALLS } from '../act/ways.js'
import { isQuiet } from '../layout/sections.js'
import { actOf, type Hero } from './hero.js'

/** A class or a word for how a part looks by which a button becomes quieter, and what the repository has to have for it. */
interface Quieter {
  needs: string
  said: string
  of(way: Element): Change | null
}

const LOUD_CLASS = /(^|\s)(btn|button)([-_]{1,2})(primary|success|danger|warning|info|main)(?=\s|$)/
const OWN_CLASS = /(^|\s)((?:[a-z]+[-_])*(?:btn|button|cta|knopf|bouton|bot[oó]n|schaltflaeche))(?=\s|$)/i
const QUIET_WORDS = [
  'secondary',
  'outline',
  'ghost',
  'quiet',
  'still',
  'light',
  'plain',
  'link',
  'text',
  'leise',
  'discret',
  'secundario',
]

/** Another class in the place of the loud one, or beside the one that all buttons have. */
function withClass(way: Element, found: RegExp, to: string, isBeside: boolean): Change | null {
  const own = attribute(way, 'class')
  const before = given(way, 'class') ?? ''
  const loud = found.exec(before)?.[0].trim()
  if (own?.own == null || loud === undefined) return null
  const text = before.replace(loud, () => (isBeside ? `${loud} ${to}` : to)).trim()
  // The space before an attribute goes with it.
  if (text === '') return { start: own.start - 1, end: own.end, text, unit: way }
  return { ...own.own, text, unit: way }
}

/** What could make these buttons quieter, best first. */
function quieterThan(first: Element): Quieter[] {
  const classes = given(first, 'class') ?? ''
  const loud = LOUD_CLASS.exec(classes)
  if (loud !== null) {
    const [, , base = '', joint = ''] = loud
    const names = [`outline-${loud[4]}`, 'outline-secondary', 'outline', ...QUIET_WORDS]
    return names.map((name) => ({
      needs: `${base}${joint}${name}`,
      said: `${base}${joint}${name}`,
      of: (way) => withClass(way, LOUD_CLASS, `${base}${joint}${name}`, false),
    }))
  }
  const own = OWN_CLASS.exec(classes)?.[2]
  if (own !== undefined)
    return QUIET_WORDS.flatMap((name) =>
      ['--', '-'].map((joint) => ({
        needs: `${own}${joint}${name}`,
        said: `${own}${joint}${name}`,
        of: (way: Element) => withClass(way, OWN_CLASS, `${own}${joint}${name}`, true),
      })),
    )
  if (!/^(Button|Btn)$/.test(first.tag) || has(first, 'variant')) return []
  return ['outline', 'secondary', 'ghost'].map((variant) => ({
    needs: `${first.tag} ${variant}`,
    said: `variant “${variant}”`,
    of: (way) => {
      const at = way.start + 1 + way.tag.length
      return { start: at, end: at, text: ` variant="${variant}"`, unit: way }
    },
  }))
}

const looksLike = (one: Element, other: Element): boolean =>
  ['class', 'variant', 'color', 'size'].every((name) => given(one, name) === given(other, name)) &&
  isLink(one) === isLink(other) &&
  (isLink(one) || one.tag === other.tag)

/**
 * An opening with two or three buttons beside each other that are equally loud: the one that asks for what the site is there for stays so, and the others become quieter in the
 * site's own way; they stay where they are, and can be pressed. Not where none of them asks for that or two do, as two shops that have the same app, nor where the quieter way is not told.
 */
export function* oneLoud({ page }: View, { title, ways }: Hero): Generator<Idea> {
  const loud = ways.filter(
    (one) => (isButton(one) || /^(Button|Btn)$/.test(one.tag)) && !isQuiet(page, one) && !isInCode(one),
  )
  const [first] = loud
  if (first === undefined || loud.length < 2 || loud.length > 3 || labelOf(first) === null) return
  const row = besides(first)
  if (!loud.every((one) => row.includes(one) && looksLike(one, first) && labelOf(one) !== null)) return
  const asks = loud.filter((one) => {
    const href = hrefOf(one)
    return (
      CALLS.test(bare(wordsIn(one))) || (href !== null && /^(sign up|purchase|book)$/.test(actOf(href) ?? ''))
    )
  })
  // Of several that ask the first is meant only where the next one is but for talking.
  const [main, second] = asks
  if (main === undefined || (second !== undefined && !/contact|kontakt|talk|call us/i.test(wordsIn(second))))
    return
  const others = loud.filter((one) => one !== main)
  if (asks.length > 2 || others.some((one) => hrefOf(one) === hrefOf(main))) return
  // What leads to the code, or to where others talk, is rather left out.
  if (others.some((one) => OTHERS_SITES.test(hrefOf(one) ?? ''))) return
  const names = others.map((one) => `“${wordsIn(one)}”`).join(' and ')
  for (const { needs, said, of } of quieterThan(main)) {
    const changes = others.flatMap((one) => of(one) ?? [])
    if (changes.length < others.length) continue
    yield {
      mechanism: 'order',
      pattern: 'one-loud-in-opening',
      name: `Make “${wordsIn(main)}” the one loud button of the opening`,
      anchor: anchorOf(main, `${wordsIn(main)} beside ${others.map(wordsIn).join(', ')}`),
      topics: ['hero', 'call to action', 'button', ...loud.map(wordsIn)],
      arms: [{ name: `“${cutAt(wordsIn(main), 40)}” loud, the rest quieter`, changes, says: null }],
      audience: 'visitors who see the opening of the start page',
      change: `showing ${names} below “${cutAt(wordsIn(title), 60)}” in the site’s own quieter style (${said}), so that “${wordsIn(main)}” alone is loud`,
      because:
        'of several things that call equally loudly none is the next step, and some choose none of them',
      goal: 'click',
      when: `“${wordsIn(main)}” in the opening is pressed, in all variants`,
      effect: 3,
      needsClass: needs,
    }
  }
}
