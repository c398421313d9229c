import { BlockList, isIP } from 'node:net'

/** Maximum number of entries of `X-Forwarded-For` that are examined, the last ones. */
const MAX_HOPS = 32

/**
 * Finds out which address sent a request. `X-Forwarded-For` is read only if the peer is a trusted proxy, and
 * from the right: each proxy appends the address that it saw. The first address that is no trusted proxy is
 * the client; entries left of it are the client's claim.
 */
export class ClientAddresses {
  private readonly trusted: BlockList | undefined

  /** @param proxies addresses and networks (`10.0.0.0/8`), as `parseProxies` accepts them */
  constructor(proxies: readonly string[]) {
    if (proxies.length === 0) return
    this.trusted = new BlockList()
    for (const proxy of proxies) addTo(this.trusted, proxy)
  }

  /**
   * @param peer address of the connection's other end
   * @param forwardedFor all `X-Forwarded-For` headers, joined by commas
   */
  of(peer: string, forwardedFor: string | undefined): string {
    if (this.trusted === undefined || forwardedFor === undefined) return peer
    let address = peer
    const hops = forwardedFor.split(',').slice(-MAX_HOPS).reverse()
    for (const hop of hops) {
      if (!this.isTrusted(address)) break
      const next = addressIn(hop)
      if (next === undefined) break
      address = next
    }
    return address
  }

  private isTrusted(address: string): boolean {
    const version = isIP(address)
    return version !== 0 && this.trusted?.check(address, familyOf(version)) === true
  }
}

/** The entries of a list such as `10.0.0.0/8, 2001:db8::7`, or the first entry that is invalid. */
export function parseProxies(
  text: string,
): { readonly proxies: readonly string[] } | { readonly wrong: string } {
  const proxies = text.split(',').map((entry) => entry.trim())
  const list = new BlockList()
  for (const proxy of proxies) if (!addTo(list, proxy)) return { wrong: proxy }
  return { proxies }
}

/** The /64 network of an IPv6 address, since one owner usually has all of it; other addresses unchanged. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [start = '', end] = address.replace(/%.*$/, '').split('::')
  const groups = start === '' ? [] : start.split(':')
  // An IPv4 address at the end is two groups.
  const after = end === undefined || end === '' ? 0 : end.split(':').length + (end.includes('.') ? 1 : 0)
  if (end !== undefined) while (groups.length + after < 8) groups.push('0')
  if (end !== undefined && end !== '') groups.push(...end.split(':'))
  const numbers = groups.slice(0, 6).map((group) => Number.parseInt(group, 16))
  const isMapped = numbers.slice(0, 5).every((number) => number === 0) && numbers[5] === 0xffff
  return isMapped
    ? mappedAddress(groups.slice(6))
    : numbers
        .slice(0, 4)
        .map((n) => n.toString(16))
        .join(':')
}

/** The IPv4 address in the last groups of an IPv6 one. */
function mappedAddress(groups: readonly string[]): string {
  const [high = '0', low = '0'] = groups
  if (high.includes('.')) return high
  const bytes = [Number.parseInt(high, 16), Number.parseInt(low, 16)].flatMap((number) => [
    number >> 8,
    number & 255,
  ])
  return bytes.join('.')
}

/** The address of an entry, which some proxies write with a port. */
function addressIn(hop: string): string | undefined {
  const text = hop.trim()
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return isIP(bare) === 0 ? undefined : bare
}

function addTo(list: BlockList, proxy: string): boolean {
  const [address = '', prefix, ...rest] = proxy.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (prefix === undefined) {
    list.addAddress(address, familyOf(version))
    return true
  }
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > (version === 4 ? 32 : 128)) return false
  list.addSubnet(address, Number(prefix), familyOf(version))
  return true
}

const familyOf = (version: number): 'ipv4' | 'ipv6' => (version === 4 ? 'ipv4' : 'ipv6')
