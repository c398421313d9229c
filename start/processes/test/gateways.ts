import t from 'tap'
import { gatewayWorkers } from '../gateways.js'

t.test('gateways use every processor, and half of them beside embedded stores', async (t) => {
  t.same(
    [1, 2, 3, 8, 100].map((processors) => gatewayWorkers(processors, 'nothing')),
    [1, 2, 3, 8, 64],
  )
  t.same(
    [1, 2, 3, 4, 7, 8, 100].map((processors) => gatewayWorkers(processors, 'stores')),
    [1, 1, 1, 2, 3, 4, 4],
  )
})
