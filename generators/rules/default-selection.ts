// Evidence: defaults are the best documented nudge (Jachimowicz et al. 2019, 58 studies: d = 0.68). Admitted
// because the page itself says which choice it recommends, so nothing is decided for visitors that the site
// does not say. Refused for consent, payment, and choices that code keeps.
import type { PageChange } from '../page/edits.js'
import { isAlwaysShown } from '../page/forms.js'
import { elementsIn, given, has, type PageElement, type PageTree, wordsIn } from '../page/tree.js'
import { quoted } from './form-words.js'
import type { ProposalRule } from './rule.js'

/** Choices that are never preselected, because only the visitor may make them. */
const VISITORS_OWN_CHOICE =
  /consent|agree|accept|terms|newsletter|marketing|payment|pay|donat|gender|title|anrede|civilit|insurance|einwillig|zustimm/i
/** Attributes that bind the selection to code. */
const BOUND_ATTRIBUTE =
  /^(checked|defaultchecked|value|defaultvalue|v-model|bind:group|bind:checked|bind:value|:checked|:value)/

interface Choice {
  element: PageElement
  label: string
}

function radioGroups(page: PageTree): PageElement[][] {
  const groups = new Map<string, PageElement[]>()
  for (const one of elementsIn(page.root)) {
    const name = given(one, 'name')
    if (one.name !== 'input' || given(one, 'type') !== 'radio' || name === null) continue
    groups.set(name, [...(groups.get(name) ?? []), one])
  }
  return [...groups.values()]
}

const labelFor = (page: PageTree, input: PageElement): string => {
  const id = given(input, 'id')
  const label = elementsIn(page.root).find(
    (one) =>
      one.name === 'label' && ((id !== null && given(one, 'for') === id) || elementsIn(one).includes(input)),
  )
  return label === undefined ? '' : wordsIn(label)
}

const isBound = (element: PageElement): boolean =>
  element.attributes.some(({ name }) => BOUND_ATTRIBUTE.test(name) && !/^value$/.test(name))

export const defaultSelection: ProposalRule = {
  ruleId: 'default-selection',
  why: 'A default saves visitors a decision, and this one is what the page recommends anyway.',
  *find({ page, lexicon, forms }) {
    const lists = elementsIn(page.root)
      .filter((one) => one.name === 'select' && !has(one, 'multiple') && !isBound(one) && !has(one, 'value'))
      .map((select) => elementsIn(select).filter(({ name }) => name === 'option'))
    const choices: (readonly Choice[])[] = [
      ...radioGroups(page).map((group) =>
        group.map((element) => ({ element, label: labelFor(page, element) })),
      ),
      ...lists.map((options) => options.map((element) => ({ element, label: wordsIn(element) }))),
    ]
    for (const group of choices) {
      const isSelected = group.some(({ element }) => has(element, 'selected') || isBound(element))
      const marked = group.filter(({ label }) => lexicon.isMarked.test(label))
      const [only, ...more] = marked
      if (only === undefined || more.length > 0 || isSelected || group.length < 2) continue
      const { element, label } = only
      const about = `${label} ${given(element, 'name') ?? given(element.parent ?? element, 'name') ?? ''}`
      if (VISITORS_OWN_CHOICE.test(about) || !group.every((one) => isAlwaysShown(one.element))) continue
      const change = preselect(page, element)
      const form = forms.find((one) => elementsIn(one.element).includes(element))
      if (change === null) continue
      yield {
        mechanism: 'default choice',
        name: `Preselect ${quoted(label)}`,
        anchor: `choice "${label}"`,
        topics: [label, form?.heading ?? ''],
        displayName: `${quoted(label)} is preselected`,
        changes: [change],
        says: null,
        change: `${quoted(label)} is selected from the start`,
        goal: form?.purpose ?? 'send',
        because: 'the page recommends this choice already, and most people keep what is selected',
        effect: 3,
      }
    }
  },
}

/** Inserts `checked` or `selected` after the tag name. */
function preselect(page: PageTree, element: PageElement): PageChange | null {
  const at = element.start + 1 + element.tag.length
  // In JSX a list selects by the value of the whole list.
  if (page.dialect === 'jsx' && element.name === 'option') return null
  const name = element.name === 'option' ? 'selected' : page.dialect === 'jsx' ? 'defaultChecked' : 'checked'
  return { start: at, end: at, text: ` ${name}`, unit: element }
}
