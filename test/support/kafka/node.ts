import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnOwned } from '../spawn-owned.js'
import { kafkaClassPath } from './jars.js'
import { LOGGING, type NodePlace, serverProperties } from './properties.js'

export interface BrokerNodeOptions {
  readonly place: NodePlace
  readonly all: readonly NodePlace[]
  readonly clusterId: string
  readonly folder: string
  readonly properties: Readonly<Record<string, string | number>>
  readonly jvm: readonly string[]
  /** More that the data folder is prepared with. */
  readonly formatting: readonly string[]
}

/** A broker that cannot hand over its partitions keeps trying. After this time it is killed. */
const SHUT_DOWN_MS = 30_000

/** The process of one broker. */
export class BrokerNode {
  readonly id: number
  readonly address: string
  private child: ChildProcess | undefined
  private readonly log: string
  private readonly config: string

  constructor(private readonly options: BrokerNodeOptions) {
    const { place, folder } = options
    this.id = place.id
    this.address = `127.0.0.1:${place.port}`
    this.log = join(folder, 'broker.log')
    this.config = join(folder, 'server.properties')
    mkdirSync(folder, { recursive: true })
    const properties = serverProperties(place, options.all, join(folder, 'data'), options.properties)
    writeFileSync(this.config, properties)
    writeFileSync(join(folder, 'log4j2.properties'), LOGGING)
  }

  get pid(): number | undefined {
    return this.child?.pid
  }

  /** Warnings and errors that it printed. */
  output(): string {
    try {
      return readFileSync(this.log, 'utf8').slice(-8_000)
    } catch {
      return ''
    }
  }

  /** Prepares the data folder. */
  async format(): Promise<void> {
    const child = this.java('kafka.tools.StorageTool', [
      'format',
      // In one word: an id may begin with a dash.
      `--cluster-id=${this.options.clusterId}`,
      '-c',
      this.config,
      ...this.options.formatting,
    ])
    const [code] = await once(child, 'exit')
    if (code !== 0)
      throw new Error(`the folder of broker ${this.id} could not be prepared:\n${this.output()}`)
  }

  spawn(): void {
    const child = this.java('kafka.Kafka', [this.config])
    this.child = child
    child.once('exit', () => {
      if (this.child === child) this.child = undefined
    })
  }

  async kill(): Promise<void> {
    const { child } = this
    if (child === undefined) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  async shutDown(): Promise<void> {
    const { child } = this
    if (child === undefined) return
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), SHUT_DOWN_MS)
    await gone
    clearTimeout(late)
  }

  freeze(): void {
    this.child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.child?.kill('SIGCONT')
  }

  private java(main: string, args: readonly string[]): ChildProcess {
    const { folder, jvm } = this.options
    const logging = `-Dlog4j2.configurationFile=${join(folder, 'log4j2.properties')}`
    const java = ['java', ...jvm, logging, '-cp', kafkaClassPath(), main, ...args]
    return spawnOwned(java, { data: join(folder, '..'), cwd: folder, output: this.log })
  }
}
