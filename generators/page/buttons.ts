import { withoutComments } from '../comments.js'

/** Buttons that are components of the site, and whether they do something that their use does not say. */
export interface Buttons {
  acts: ReadonlyMap<string, boolean>
  /** components that stand in a link, or that are given a handler for presses */
  pressed: ReadonlySet<string>
}

const DEFINED =
  /\b(?:function|const)\s+([A-Z]\w*(?:Button|Btn))\b|\bexport default function\s+([A-Z]\w*)|(?:^|\/)([A-Za-z][\w-]*?)(?:\/index)?\.(?:vue|svelte|[jt]sx?)$/g
const IS_BUTTON = /(button|btn)$/i
/** A handler that is no property of the component, an address of its own, or code that may lead on. */
const ACTS =
  /\bon(?:Click|Press)=\{(?!\s*(?:props\.)?(?:onClick|onPress|click)\s*\})|\b(?:const|function) on(?:Click|Press)\b|(?:@|on:|v-on:)click(?:\.\w+)*=(?!["']\$emit|["']emit)|\bonclick=\{(?!\s*\w+\s*\})|\b(?:href|to)\s*=\s*\{?["'`](?:[/#]|https?:)|\b(?:navigate|push|goto|useRouter|useNavigate|useForm\w*|useDispatch|signIn|signOut|addEventListener|inject|useContext)\b|type=["']submit["'].*\bform=/
const IN_LINK =
  /<(?:a|Link|NavLink|NuxtLink|RouterLink|router-link)\b[^<>]*>\s*(?:<(?:div|li|span|motion\.\w+)\b[^<>]*>\s*)*<([A-Z]\w*)/g
const GIVEN = /<([A-Z]\w*)\b(?:=>|[^<>]){0,400}?\s(?:on[A-Z]?(?:lick|ress)|@click(?:\.\w+)*|on:click)=/g

/** Adds the buttons that a file defines, and the components that it makes pressable. */
export function addButtons(
  path: string,
  written: string,
  { acts, pressed }: { acts: Map<string, boolean>; pressed: Set<string> },
): void {
  if (!/\.(vue|svelte|[jt]sx?)$/i.test(path)) return
  const text = withoutComments(written)
  for (const [, name = ''] of text.matchAll(IN_LINK)) pressed.add(name)
  for (const [, name = ''] of text.matchAll(GIVEN)) if (!IS_BUTTON.test(name)) pressed.add(name)
  const names = [...text.matchAll(DEFINED), ...path.matchAll(DEFINED)].flatMap((found) => {
    const name = plain(found[1] ?? found[2] ?? found[3] ?? '')
    return IS_BUTTON.test(name) ? [name] : []
  })
  for (const name of new Set(names)) acts.set(name, acts.get(name) === true || ACTS.test(text))
}

/** `base-button` and `BaseButton` are one component. */
export const plain = (tag: string): string => tag.replace(/[-_]/g, '').toLowerCase()
