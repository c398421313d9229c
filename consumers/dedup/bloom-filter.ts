import { PAGE_WORDS, type PagePool } from './page-pool.js'

export const BLOCK_WORDS = 8
export const PAGE_BLOCKS = PAGE_WORDS / BLOCK_WORDS
/** One block of 256 bits for so many ids: 16 bits an id, and one unknown id in a thousand passes. */
const IDS_A_BLOCK = 16
/** With fewer bits an id than this, one unknown id in ten would pass, so the filter is not folded further. */
const MIN_BITS = 6
/** Numbers of blocks are multiples of this, so that they can be halved. */
const BLOCK_STEP = 8
const TWO_32 = 2 ** 32

interface Layer {
  pages: Int32Array[]
  blocks: number
  count: number
}

/**
 * A blocked Bloom filter of ids of three 32-bit words. One word chooses a block of 256 bits, the others a bit
 * in each of its eight words: one cache miss. It grows by layers and shrinks by folding, without the ids.
 */
export class BlockedBloomFilter {
  /** Newest last. Only the newest layer accepts ids. */
  private readonly layers: Layer[] = []
  /** Memory is short: layers are filled further, and new ones are small. */
  private folded = false

  constructor(
    private readonly pool: PagePool,
    expected: number,
  ) {
    this.addLayer(expected)
  }

  /** A filter whose blocks were made elsewhere (`addToBlock`). `read` fills its pages, in order. */
  static async load(
    pool: PagePool,
    ids: number,
    idsABlock: number,
    read: (page: Int32Array) => Promise<void>,
  ): Promise<BlockedBloomFilter> {
    const filter = new BlockedBloomFilter(pool, (ids / idsABlock) * IDS_A_BLOCK)
    const [layer] = filter.layers
    if (layer !== undefined) layer.count = ids
    try {
      for (const page of layer?.pages ?? []) await read(page)
    } catch (error) {
      filter.release()
      throw error
    }
    return filter
  }

  get bytes(): number {
    let words = 0
    for (const { pages } of this.layers) for (const page of pages) words += page.length
    return words * 4
  }

  has(w0: number, w1: number, w2: number): boolean {
    for (let i = this.layers.length - 1; i >= 0; i--)
      if (isIn(this.layers[i] as Layer, w0, w1, w2)) return true
    return false
  }

  add(w0: number, w1: number, w2: number): void {
    let layer = this.layers.at(-1)
    const fullest = this.folded ? (BLOCK_WORDS * 32) / MIN_BITS : IDS_A_BLOCK
    if (layer === undefined || layer.count >= layer.blocks * fullest) {
      const held = this.layers.reduce((sum, { count }) => sum + count, 0)
      layer = this.addLayer(this.folded ? held / 8 : held)
    }
    const block = blockOf(w0, layer.blocks)
    const page = layer.pages[Math.floor(block / PAGE_BLOCKS)] as Int32Array
    const at = (block % PAGE_BLOCKS) * BLOCK_WORDS
    addToBlock(page, at, w1, w2)
    layer.count++
  }

  /** Reads a word of the block of an id, which loads that memory. */
  prefetch(w0: number): number {
    const layer = this.layers.at(-1)
    if (layer === undefined) return 0
    const block = blockOf(w0, layer.blocks)
    return layer.pages[Math.floor(block / PAGE_BLOCKS)]?.[(block % PAGE_BLOCKS) * BLOCK_WORDS] ?? 0
  }

  /** Halves the memory by merging neighbouring blocks. False if too few bits would be left. */
  fold(): boolean {
    let folded = false
    for (const layer of this.layers) {
      const bits = layer.blocks * BLOCK_WORDS * 32
      // With an odd number of blocks the halves would not be where `blockOf` looks.
      if (layer.blocks % 2 === 1 || bits / 2 < layer.count * MIN_BITS) continue
      this.foldLayer(layer)
      folded = true
      this.folded = true
    }
    return folded
  }

  release(): void {
    for (const { pages } of this.layers.splice(0)) this.pool.release(pages)
  }

  private addLayer(expected: number): Layer {
    const layer: Layer = { pages: [], blocks: filterBlocks(expected, IDS_A_BLOCK), count: 0 }
    if (layer.blocks < PAGE_BLOCKS) layer.pages.push(new Int32Array(layer.blocks * BLOCK_WORDS))
    else for (let held = 0; held < layer.blocks; held += PAGE_BLOCKS) layer.pages.push(this.pool.acquire())
    this.layers.push(layer)
    return layer
  }

  private foldLayer(layer: Layer): void {
    const old = layer.pages
    const oldBlocks = layer.blocks
    layer.blocks = oldBlocks / 2
    layer.pages = []
    for (let from = 0; from < layer.blocks; from += PAGE_BLOCKS)
      layer.pages.push(
        layer.blocks < PAGE_BLOCKS ? new Int32Array(layer.blocks * BLOCK_WORDS) : this.pool.acquire(),
      )
    for (let block = 0; block < oldBlocks; block++) {
      const source = old[Math.floor(block / PAGE_BLOCKS)] as Int32Array
      const from = (block % PAGE_BLOCKS) * BLOCK_WORDS
      const half = block >>> 1
      const target = layer.pages[Math.floor(half / PAGE_BLOCKS)] as Int32Array
      const to = (half % PAGE_BLOCKS) * BLOCK_WORDS
      for (let i = 0; i < BLOCK_WORDS; i++)
        target[to + i] = (target[to + i] as number) | (source[from + i] as number)
    }
    this.pool.release(old)
  }
}

/** How many blocks a filter has for so many ids. Above one page it is whole pages. */
export function filterBlocks(ids: number, idsABlock: number): number {
  const blocks = Math.max(1, Math.ceil(ids / idsABlock / BLOCK_STEP)) * BLOCK_STEP
  return blocks < PAGE_BLOCKS ? blocks : Math.ceil(blocks / PAGE_BLOCKS) * PAGE_BLOCKS
}

/** Sets the bits of an id in its block, which begins at word `at` of the page. */
export function addToBlock(page: Int32Array, at: number, w1: number, w2: number): void {
  // A shift uses the five lowest bits of its right operand.
  for (let i = 0; i < 6; i++) page[at + i] = (page[at + i] as number) | (1 << (w1 >>> (5 * i)))
  page[at + 6] = (page[at + 6] as number) | (1 << w2)
  page[at + 7] = (page[at + 7] as number) | (1 << (w2 >>> 5))
}

function isIn(layer: Layer, w0: number, w1: number, w2: number): boolean {
  const block = blockOf(w0, layer.blocks)
  const page = layer.pages[Math.floor(block / PAGE_BLOCKS)] as Int32Array
  const at = (block % PAGE_BLOCKS) * BLOCK_WORDS
  for (let i = 0; i < 6; i++) if (((page[at + i] as number) & (1 << (w1 >>> (5 * i)))) === 0) return false
  const w6 = (page[at + 6] as number) & (1 << w2)
  return w6 !== 0 && ((page[at + 7] as number) & (1 << (w2 >>> 5))) !== 0
}

export function blockOf(word: number, blocks: number): number {
  return Math.floor(((word >>> 0) / TWO_32) * blocks)
}
