import { type FaultMode, type FaultProxy, startFaultProxy } from '../../support/network/fault-proxy.js'

/** The way from the clients to the service: straight, or through proxies while a fault is at it. */
export class ClientNetwork {
  private proxies = new Map<string, FaultProxy>()

  /** The address to send to instead of `url`: its proxy, if there is one. */
  route(url: string | undefined): string | undefined {
    const proxy = url === undefined ? undefined : this.proxies.get(url)
    return proxy === undefined ? url : `http://127.0.0.1:${proxy.port}`
  }

  /** New connections go through proxies, which then do to them what the mode says. */
  async disturb(urls: readonly string[], mode: FaultMode): Promise<void> {
    const made = new Map<string, FaultProxy>()
    for (const url of new Set(urls)) {
      const { hostname: host, port } = new URL(url)
      const proxy = await startFaultProxy({ host, port: Number(port) })
      await proxy.set(mode)
      made.set(url, proxy)
    }
    this.proxies = made
  }

  /** Cuts the requests in progress through proxies. */
  cut(): void {
    for (const proxy of this.proxies.values()) proxy.cut()
  }

  async restore(): Promise<void> {
    const { proxies } = this
    this.proxies = new Map()
    for (const proxy of proxies.values()) await proxy.close()
  }
}
