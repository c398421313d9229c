import { insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, besides, elementsIn, isShownWith, wordsIn } from '../../markup/tree.js'
import { anchorOf, bare, isHeading, labelOf, lineBreakBefore } from '../../surface.js'
import { languageOf } from '../../words/language.js'

/**
 * A page to sign up that does not say what for: the line that the site opens with stands below its heading, word for word. Not where a line stands there already, nor
 * where the page says it elsewhere, or is in several languages.
 */
export function* lineAtSignUp({ page, site, forms, language }: View): Generator<Idea> {
  const line = site?.line ?? null
  const form = forms.find(({ purpose }) => purpose === 'sign up')
  if (line === null || form === undefined || language === null || page.isTranslated === true) return
  if (line.path === page.path || /(^|[/_.-])(admin|invit|sign-?in|log-?in)/i.test(page.path)) return
  const own = languageOf(line.says, null, null)
  if ((own !== null && own !== language) || /[<>{}&]/.test(line.says)) return
  const around = [form.element, ...above(form.element)]
  const headings = elementsIn(page.root).filter(
    (one) =>
      isHeading(one) &&
      /^h[1-4]$/.test(one.tag) &&
      one.start < (form.fields[0]?.start ?? 0) &&
      labelOf(one) !== null &&
      around.some((outer) => one.parent !== null && (outer === one.parent || outer === one.parent.parent)),
  )
  const heading = headings.at(-1)
  if (
    heading === undefined ||
    /back|sign in|log in|anmelden|connexion|connecter/i.test(wordsIn(heading)) ||
    !isShownWith(heading, form.element)
  )
    return
  const next = besides(heading)[besides(heading).indexOf(heading) + 1]
  if (next !== undefined && /^(p|span|h[2-6])$/.test(next.tag) && wordsIn(next).split(' ').length >= 3) return
  if (bare(wordsIn(page.root)).includes(bare(line.says))) return
  yield {
    mechanism: 'clarity',
    pattern: 'line-at-sign-up',
    name: `Say at sign-up what for: “${line.says}”`,
    anchor: anchorOf(heading),
    topics: ['sign up', 'form', 'heading', wordsIn(heading)],
    arms: [
      {
        name: 'With the line of the start page',
        changes: [
          insertAt(heading.end, `${lineBreakBefore(page, heading) || ' '}<p>${line.says}</p>`, heading),
        ],
        says: line.says,
      },
    ],
    audience: 'visitors who have come to the sign up form',
    change: `saying “${line.says}”, with which the site opens (${line.path}), below “${wordsIn(heading)}”`,
    because: 'who is asked for an address and a password is reminded what they get for it',
    goal: 'sign up',
    effect: 2,
    evidence: [line],
  }
}
