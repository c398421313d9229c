import type { EventBlock } from '../../../clickhouse/port.js'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import { encodeRecords } from '../../../log/record.js'
import { eventBlockOf } from './blocks.js'

const WORKSPACE = '01980000-0000-7000-8000-000000000001'
const RECEIVED = Date.UTC(2026, 9, 10)
const BLOCKS = 2
/** As large as blocks become under load: 180,000 events, nearly 64 MiB. */
const REQUESTS = 360
const EVENTS = 500

/**
 * Blocks as consumers store them, without tokens: a shop's events with a share of exposures to ten
 * experiments.
 */
export function shopBlocks(exposures: number): readonly Omit<EventBlock, 'token'>[] {
  const keys = workspaceHashKeys(new Uint8Array(32).fill(5), WORKSPACE)
  const encode = (request: number) =>
    encodeRecords(
      {
        workspaceId: WORKSPACE,
        keyId: WORKSPACE,
        receivedAt: RECEIVED + request * 50,
        sentAt: undefined,
        events: Array.from({ length: EVENTS }, (_, index) => eventOf(request * EVENTS + index, exposures)),
      },
      keys,
      { partitions: 1, identityPartitions: 1 },
      () => true,
    ).records
  return Array.from({ length: BLOCKS }, (_, block) => {
    const records = Array.from({ length: REQUESTS }, (_, index) => encode(block * REQUESTS + index)).flat()
    return eventBlockOf(records, block * REQUESTS)
  })
}

function eventOf(number: number, exposures: number) {
  const person = (number * 7_919) % 60_000
  const isExposure = number % 100 < exposures
  return {
    event: isExposure ? '$exposure' : (['page_view', 'product_view', 'search', 'purchase'][number % 4] ?? ''),
    userId: `user-${person}`,
    anonymousId: undefined,
    properties: isExposure
      ? `{"experiment":"experiment-${number % 10}","variant":"${person % 2 === 0 ? 'control' : 'b'}","page":"/p/${number % 50}","country":"de"}`
      : `{"plan":"pro","source":"source-${person % 10}","price":${number % 1000},"url":"https://shop.example/p/${number % 5000}","title":"product number ${number % 5000} of the catalogue","list":[1,2,3,${number % 1000}]}`,
    timestamp: undefined,
    insertId: undefined,
    sdkVersion: undefined,
  }
}
