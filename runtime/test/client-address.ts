import t from 'tap'
import { ClientAddresses, networkOf, parseProxies } from '../client-address.js'

t.test('a trusted proxy names the client, from the right', async (t) => {
  const addresses = new ClientAddresses(['10.0.0.0/8', '2001:db8::7'])
  for (const [peer, forwardedFor, expected] of [
    ['192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['0000:0000:0000:0000:0000:ffff:0a01:0203', '203.0.113.9', '203.0.113.9'],
    ['2001:0db8:0000:0000:0000:0000:0000:0007', '2001:db8:1::5', '2001:db8:1::5'],
    // Only the last entry is the proxy's. The client wrote the others.
    ['10.1.2.3', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '198.51.100.1,203.0.113.9 , 10.9.9.9', '203.0.113.9'],
    ['10.1.2.3', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['10.1.2.3', '203.0.113.9:4711', '203.0.113.9'],
    ['10.1.2.3', '[2001:db8:1::5]:4711', '2001:db8:1::5'],
    // An entry that is no address ends the chain.
    ['10.1.2.3', '203.0.113.9, unknown', '10.1.2.3'],
    ['10.1.2.3', '203.0.113.9, unknown, 10.0.0.2', '10.0.0.2'],
    ['10.1.2.3', '', '10.1.2.3'],
    ['', '203.0.113.9', ''],
  ] as const)
    t.equal(addresses.of(peer, forwardedFor), expected, `${peer} ${forwardedFor}`)
  t.equal(new ClientAddresses([]).of('10.1.2.3', '203.0.113.9'), '10.1.2.3', 'no proxy is trusted by default')
})

t.test('proxies are addresses and networks', async (t) => {
  t.strictSame(parseProxies('10.0.0.0/8, 2001:db8::/32,192.0.2.7'), {
    proxies: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'],
  })
  for (const wrong of [
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '2001:db8::/129',
    '10.0.0',
    '*',
  ])
    t.strictSame(parseProxies(`192.0.2.7,${wrong}`), { wrong })
  t.strictSame(parseProxies('192.0.2.7,'), { wrong: '' })
})

t.test('an IPv6 address counts as its network', async (t) => {
  for (const [address, network] of [
    ['192.0.2.7', '192.0.2.7'],
    ['', ''],
    ['2001:0db8:0000:0001:0000:0000:0000:0007', '2001:db8:0:1'],
    ['2001:db8:0:1::7', '2001:db8:0:1'],
    ['2001:db8::', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['0000:0000:0000:0000:0000:ffff:c000:0207', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0'],
  ] as const)
    t.equal(networkOf(address), network, address)
})
