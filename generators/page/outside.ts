import type { Act } from './actions.js'

/** Hosts of services that businesses let visitors book or order with, by the name before the last dot. */
const BOOK =
  /(^|\.)((appointment|booking|reservation)s?|book(now)?|reserv(e|ar|as|ierung(en)?)?|termin(e|buchung)?|agenda|rdv|calendly|zcal|tidycal|savvycal|youcanbook|doctolib|jameda|samedi|terminland|etermin|timify|salonkee|treatwell|planity|booksy|fresha|phorest|vagaro|glossgenius|schedulicity|styleseat|simplybook|setmore|acuityscheduling|picktime|zohobookings|bookeo|fareharbor|rezdy|checkfront|cloudbeds|beds24|opentable|resy|sevenrooms|exploretock|thefork|lafourchette|quandoo|zenchef|formitable|mindbodyonline|momoyoga|eversports|fliipapp|cenplexbooking|playtomic|janeapp|zocdoc|maiia|clicrdv)\.\w|^cal\.com$|^squareup\.com\/(appointments|book)|^calendar\.(google|app\.google)\.com?\/(calendar\/)?(appointments|u\/0\/appointments)/i
const ORDER =
  /(^|\.)(order(ing|online)?|bestell(en|ung)|pedidos?|commande|ubereats|lieferando|takeaway|justeat|just-eat|toasttab|doordash|grubhub|deliveroo|wolt|glovoapp|ifood|rappi|pedidosya|slicelife|chownow|olo|gloriafood|spoton|menufy)\.\w|^[\w-]+\.square\.site/i
const CHAT = /^(wa\.me\/(?!\?)\w|(api|web)\.whatsapp\.com\/send\/?\?(.*&)?phone=|(m\.me|t\.me)\/\w)/i
const ADDRESS = /^https:\/\/(?:www\.)?([\w-]+(?:\.[\w-]+)+(?:[/?#][^\s"'`<>{}\\]*)?)$/i
const CALL = /^tel:\+?[\d()/. -]{6,}$/
const MAIL = /^mailto:[\w.+-]+@[\w-]+(\.[\w-]+)+(\?[^\s"'`<>{}\\]*)?$/i

/**
 * The act that an address outside of the site is for: a service for bookings or orders, a telephone number, a
 * chat or a mailbox. `null` for all others.
 */
export function outsideActOf(address: string): Act | null {
  if (CALL.test(address) || MAIL.test(address)) return 'contact'
  const host = ADDRESS.exec(address)?.[1]
  if (host === undefined) return null
  if (CHAT.test(host)) return 'contact'
  const name = host.replace(/^([^/?#]*).*/, '$1')
  if (BOOK.test(name) || BOOK.test(host.replace(/\?.*/, ''))) return 'booking'
  return ORDER.test(name) ? 'purchase' : null
}

/** Services that others run, which a link in words of an act may name without being the act of the site. */
const OTHERS =
  /^https?:\/\/([\w-]+\.)*(facebook|instagram|twitter|x|linkedin|youtube|tiktok|github|gitlab|npmjs|google|apple|amazon|vercel|netlify|wikipedia|unsplash|themeforest|example)\.\w/i

/** Whether an address is outside of the site, and not the page of a network or a store. */
export const isOutside = (address: string): boolean => ADDRESS.test(address) && !OTHERS.test(address)
