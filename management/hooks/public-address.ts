import { BlockList, isIP } from 'node:net'

/** IPv4 addresses that do not lead to the public internet. Source: IANA special-purpose address registry. */
const PRIVATE_IPV4: readonly (readonly [address: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local, among them the metadata services of clouds.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]
/** Of global unicast: protocols (Teredo among them), documentation, and 6to4, which holds an IPv4 address. */
const SPECIAL_IPV6: readonly (readonly [address: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const refused = new BlockList()
for (const [address, prefix] of PRIVATE_IPV4) refused.addSubnet(address, prefix, 'ipv4')
for (const [address, prefix] of SPECIAL_IPV6) refused.addSubnet(address, prefix, 'ipv6')
/** All else of IPv6 is local, reserved, or holds an IPv4 address. */
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')

/** Whether an IP address leads to the public internet. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !refused.check(address, 'ipv4')
  return version === 6 && global.check(address, 'ipv6') && !refused.check(address, 'ipv6')
}

export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError'
  constructor(host: string) {
    super(`${host} is not an address of the public internet`)
  }
}
