import { setOf, wordsOf } from './words.js'

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'tr'] as const
export type Language = (typeof LANGUAGES)[number]

/**
 * Frequent words. The last four languages share none with others, because one word decides a short text.
 */
export const COMMON: Readonly<Record<Language, ReadonlySet<string>>> = {
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
  it: setOf(
    'il gli dei degli della delle nel nella nelle di che è più sono anche oppure senza ogni questo questa nostro nostra nostri nostre tuo vostro vostra siamo scopri prenota contatti accedi invia carrello cognome indirizzo messaggio orari',
  ),
  nl: setOf(
    'het een voor naar niet wij onze ons jouw uw zijn ook bij uit deze dat kunt kunnen worden heeft hebben maar nog meer waar mijn altijd zoeken inloggen wachtwoord winkelwagen afspraak welkom bekijk voornaam achternaam bericht',
  ),
  pl: setOf(
    'się jest nie że dla są oraz lub przez jak nasz nasza nasze naszej naszym naszych twój twoja twoje swoje państwa które który gdzie aby już tylko także również więcej bez wszystkie jesteśmy zapraszamy zobacz sprawdź usługi zarezerwuj wizytę wyślij szukaj koszyk hasło zaloguj imię nazwisko wiadomość',
  ),
  tr: setOf(
    'bir bu ile için daha çok olarak veya gibi bizim sizin siz değil tüm kadar sonra olan hemen lütfen nasıl şimdi hakkımızda iletişim hizmetler hizmetlerimiz randevu rezervasyon giriş sepet şifre hesap gönder mesaj soyad fiyat',
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
  const latin = words.filter((word) => /^[a-z0-9\u00df-\u00ffąćęłńśźżğış]+$/.test(word)).length
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
    const others = OTHERS.filter(([language]) => language !== code)
    const isOther = words.some(
      (word) => others.some(([, set]) => set.has(word)) || (code === 'en' && /[^a-z\d]/.test(word)),
    )
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
const OTHERS: readonly (readonly [language: string, words: ReadonlySet<string>])[] = [
  ['nl', setOf('het een voor naar niet met')],
  ['scandinavian', setOf('og til att och din ditt ett det som')],
  ['it', setOf('il di per che gli della')],
  ['pl', setOf('i z na do się jest')],
  ['tr', setOf('ve ile bir için')],
]

/** So few words may hold no frequent one: then `lang` decides. */
const FEW_WORDS = 30
