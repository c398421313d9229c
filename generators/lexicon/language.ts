import { setOf, wordsOf } from './words.js'

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt'] as const
export type Language = (typeof LANGUAGES)[number]

const COMMON: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: setOf(
    'the and of to your you with for in is are this it our not have an or on from we all by at be sign log account password add cart search forgot create more',
  ),
  de: setOf(
    'der die das und oder nicht mit für ein eine ist sind wir sie ihr ihre den dem zu auf von im bei werden alle mehr bitte anmelden konto passwort jetzt suchen weiter senden absenden',
  ),
  fr: setOf(
    'le la les des du une et ou pas avec pour est sont vous nous votre vos dans sur par au aux ce cette plus mot passe compte connexion envoyer rechercher se créer',
  ),
  es: setOf(
    'el los las del una y o no con para es son su sus en por al este esta más tu contraseña cuenta enviar buscar iniciar sesión crear correo nombre',
  ),
  pt: setOf(
    'o os as um uma do da dos das em no na nos nas e ou não com para por é são seu sua você nós nossa nosso mais como ao pelo pela que sem conta senha entrar enviar buscar criar',
  ),
}

export const isLanguage = (code: string): code is Language => LANGUAGES.some((one) => one === code)

/**
 * The language of a page. Its words count more than `lang`, because templates keep `lang="en"` whatever their
 * texts are. `null` if it is another language, or unclear.
 * @param said the page's `lang`
 * @param fallback the language if words and `lang` do not tell
 */
export function languageOf(texts: string, said: string | null, fallback: string | null): Language | null {
  const words = wordsOf(texts)
  const counted = LANGUAGES.map((language) => ({
    language,
    count: words.filter((word) => COMMON[language].has(word)).length,
  })).sort((a, b) => b.count - a.count)
  const [best, next] = counted
  const code = said?.toLowerCase().split(/[-_]/)[0] ?? ''
  const latin = words.filter((word) => /^[a-z0-9\u00df-\u00ff]+$/.test(word)).length
  if (words.length > 0 && latin < words.length * 0.8) return null
  // A single word may belong to several languages.
  if (
    best !== undefined &&
    next !== undefined &&
    best.count >= 3 &&
    best.count >= next.count * 1.5 &&
    best.count * 20 >= words.length
  )
    return best.language
  if (code !== '') {
    if (!isLanguage(code)) return null
    const own = counted.find(({ language }) => language === code)
    const count = own?.count ?? 0
    const isOther = words.some((word) => OTHERS.has(word) || (code === 'en' && /[^a-z\d]/.test(word)))
    const isSpoken =
      words.length <= 5 || (words.length <= FEW_WORDS && !isOther) || count * 20 >= words.length
    return isSpoken && count >= (best?.count ?? 0) * 0.6 ? code : null
  }
  if (best !== undefined && next !== undefined && best.count > next.count && best.count > 0)
    return best.language
  const given = fallback?.toLowerCase().split(/[-_]/)[0] ?? ''
  return isLanguage(given) ? given : null
}

/** Frequent words of other languages, which pages with a wrong `lang="en"` have. */
const OTHERS = setOf(
  'het een voor naar niet met og til att och din ditt ett det som il di per che gli della i z na do się jest ve ile bir için',
)

/** So few words may hold no frequent one: then `lang` decides. */
const FEW_WORDS = 30
