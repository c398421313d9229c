import type { Idea, View } from '../../idea.js'
import { wordsIn } from '../../markup/tree.js'
import { goalOfForm } from '../forms/called.js'
import { markedCard } from './marked-card.js'
import { markedInData } from './marked-data.js'
import { namedInList } from './named-in-list.js'
import { namedOption } from './named-option.js'
import { isMarkAlone } from './said.js'

/** What nobody may be nudged to, however many take it; what is no choice but a view. */
const NEVER =
  /insur|versicher|assurance|seguro\b|protection|warranty|garantie|newsletter|consent|cookie|marketing|opt-?in|\btips?\b|trinkgeld|pourboire|propina|add-?on|upsell|allerg|medical|gender|geschlecht|\bsort|\border-?by|\btab\b|theme|locale|language|sprache|langue|idioma|tracking|notification|\bview\b|filter/i

/** `active Tab` of `activeTab`. */
const spaced = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1 $2')

/** Where nothing is set from the start nothing else can be. */
const MAY_SET =
  /use(State|Ref|Reducer)|ref\(|reactive\(|\$state|\blet\b|selected|checked|defaultValue|modelValue|type="radio"/

/**
 * What is set from the start is what the page itself, or the data it shows, says that most choose or that it recommends. Writes no text. Not for what is agreed to, for
 * insurance and other extras, or for what nobody else than visitors can know.
 */
export function* stated(view: View): Generator<Idea> {
  if (!MAY_SET.test(view.page.text)) return
  const presets = [...markedInData(view), ...markedCard(view), ...namedOption(view), ...namedInList(view)]
  const done = new Set<string>()
  for (const { option, says, path, what, anchor, changes, isFirst } of presets) {
    // Two rules may see the same.
    const place = changes.map(({ start }) => start).join()
    if (NEVER.test(spaced(`${what} ${option} ${anchor}`)) || isMarkAlone(option) || done.has(place)) continue
    done.add(place)
    const named = option === '' ? `the option marked “${says}”` : `“${option}”`
    const why = option === '' ? '' : `: “${says}”`
    yield {
      mechanism: 'default choice',
      pattern: 'stated-choice-preset',
      name: `Have ${named} chosen from the start${why}`,
      anchor,
      topics: ['form', 'default', 'choice', what, option].filter((one) => one !== ''),
      arms: [{ name: `Begins with ${named}`, changes, says: null }],
      audience: 'visitors who do not know yet which option fits',
      change: `having ${named} chosen from the start${option === '' ? '' : `, as the page says (“${says}”)`}, with all the others one press away as now,`,
      because:
        isFirst === true
          ? 'who does not know which to take puts the choice off where none is set, and what is set is mostly left as it is'
          : 'what is set is mostly left as it is, and now that is another one than most want',
      goal: goalOfChoice(view),
      effect: INSIDE.test(view.page.path) ? 2 : 4,
      ...(path === null ? {} : { evidence: [{ path, says }] }),
    }
  }
}

/** Where those choose who have an account already, for their own work. */
const INSIDE =
  /(^|[/_.-])(settings|account|profile|sellers?|vendors?|merchants?|payouts?|dashboard)(?=[/_.-])/i

const CART = /cart|basket|bag\b|warenkorb|panier|carrito|cesta/i
const PLANS = /\bplans?\b|pricing|subscri|abonnement|\babo\b|tarif/i

/** What one goes on to from a choice: the form that it stands in, the cart or a plan. */
function goalOfChoice({ page, forms }: View): Idea['goal'] {
  const [form, ...more] = forms.filter(({ purpose }) => purpose !== 'search')
  if (form !== undefined && more.length === 0) return goalOfForm(form)
  const words = `${page.path} ${wordsIn(page.root)}`
  return CART.test(words) ? 'cart' : PLANS.test(words) ? 'plan' : 'send'
}
