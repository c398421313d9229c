import { isHome } from '../page/page-paths.js'
import { type FileLinks, reachedFrom, shownBy } from '../page/reach.js'

/** A way to a map: a link, a frame, a component, or an address that code puts together. */
export const HAS_MAP =
  /google\.\w+(\.\w+)?\/maps|maps\.(google|app|apple)|goo\.gl\/|g\.page\/|openstreetmap|waze\.com|yandex\.\w+\/maps|mapbox|leaflet|<(?!map-?pin|map-?marker)[\w-]*map[\s/>]|\b\w*(maps?|directions?|route)(href|url|link|src)\b|\bhref=\{[^}]*\b\w*(map|direction)/i
/** Trades that come to their customers. */
const TRADE =
  /\bplumb(er|ing)|\broof(er|ing)\b|\belectricians?\b|\bhandyman|\blocksmith|\bhvac\b|pest control|\blandscap(er|ing)|(house|home|office|carpet|window|gutter)[ -]clean|\bmovers\b|moving company|lawn care|painting contractor|dachdecker|malerbetrieb|malermeister|malerarbeiten|elektriker|elektroinstall|klempner|sanit[äa]r(install|betrieb)|gebäudereinigung|gartenbau|umzugs|schlüsseldienst|\bplombier|couvreur|\bserrurier|chauffagiste|électricien|paysagiste|déménage|fontaner|cerrajer|electricistas?\b|mudanzas|encanador|eletricista|idraulic|elettricista|imbianchin|traslochi|loodgieter|schildersbedrijf|dakdekker|hydraulik|elektryk|przeprowadzki|tesisatç|nakliyat/gi
/** Fewer mentions may be of something else. */
const MENTIONS = 5

/** The number of times that a text names such a trade, and whether a site with this number is one. */
export const tradesIn = (text: string): number => [...text.matchAll(TRADE)].length
export const isTrade = (mentions: number): boolean => mentions >= MENTIONS

/** Pages of their own for the way, which no other page shows. */
const FOR_THE_WAY =
  /^(?!.*(components?|sections)\/).*(contact|kontakt|contato|contatti|dove-?siamo|iletisim|location|standort|anfahrt|acc[eè]s|find|visit)[^/]*(\/(index|\+?page))?\.\w+$/i
const IS_PAGE = /(^|\/)(pages|screens|views|routes)\/(?!.*components?\/)|(^|\/)app\/(.*\/)?page\.\w+$/
/** Files whose parts stand around each page. */
const IS_FRAME = /(^|\/)(\+?layout|_app|app|default|root|main)\.\w+$/i

/** Tells of a file whether a page that shows it has a map, by the components that the page shows. */
export function mapFinder(
  links: readonly FileLinks[],
  withMap: ReadonlySet<string>,
): (path: string) => boolean {
  let edges: { shown: ReadonlyMap<string, readonly string[]>; shownIn: Map<string, string[]> } | null = null
  const edgesOf = () => {
    const shown = shownBy(links)
    const shownIn = new Map<string, string[]>()
    for (const [path, targets] of shown)
      for (const target of targets) shownIn.set(target, [...(shownIn.get(target) ?? []), path])
    return { shown, shownIn }
  }
  return (path) => {
    if (withMap.has(path)) return true
    if (withMap.size === 0) return false
    edges ??= edgesOf()
    const isOther = (one: string): boolean => one !== path && FOR_THE_WAY.test(one) && IS_PAGE.test(one)
    const { shown, shownIn } = edges
    const around = reachedFrom([path], (one) => (shownIn.get(one) ?? []).filter((each) => !isOther(each)))
    const homes = [...around].some((one) => IS_FRAME.test(one)) ? [...shown.keys()].filter(isHome) : []
    const beside = reachedFrom([...around, ...homes], (one) =>
      (shown.get(one) ?? []).filter((each) => !IS_PAGE.test(each)),
    )
    return [...beside].some((one) => withMap.has(one))
  }
}
