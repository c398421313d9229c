import t from 'tap'
import { pythonOf, shapesOf, typeScriptOf } from '../types.js'

const events = new Map([
  [
    'order_paid',
    shapesOf([
      { property: 'total', types: ['number'], share: 1 },
      { property: 'cart', types: ['object'], share: 0.5 },
      { property: 'cart.items', types: ['array'], share: 0.5 },
      { property: 'cart.note.text', types: ['string'], share: 0.1 },
      { property: 'plan-name', types: ['string', 'number'], share: 1 },
      { property: 'meta', types: ['object'], share: 1 },
    ]),
  ],
  ['order.paid', shapesOf([{ property: 'first.seen', types: ['boolean'], share: 1 }])],
  ['visited', shapesOf([])],
])

t.test('TypeScript has each event with its properties', async (t) => {
  t.equal(
    typeScriptOf(events),
    `// Written by \`svc events types\` from the received events.
// new SvcEvents<Events>() accepts these events only.
export type Events = {
  order_paid: {
    cart?: {
      items: unknown[]
      "note.text"?: string | null
    } | null
    meta: Record<string, unknown>
    "plan-name": number | string
    total: number
  }
  "order.paid": {
    "first.seen": boolean
  }
  visited: {}
}
`,
  )
})

t.test('Python has a TypedDict for the properties of each event', async (t) => {
  t.equal(
    pythonOf(events),
    `# Written by \`svc events types\` from the received events.
# The properties of each event, as in: properties: OrderPaid = {"total": 49}
from typing import Any, Dict, List, Literal, TypedDict, Union

OrderPaidCart = TypedDict("OrderPaidCart", {
    "items": List[Any],
    "note.text": Union[str, None],
}, total=False)

OrderPaid = TypedDict("OrderPaid", {
    "cart": Union[OrderPaidCart, None],
    "meta": Dict[str, Any],
    "plan-name": Union[float, str],
    "total": float,
}, total=False)

OrderPaid2 = TypedDict("OrderPaid2", {
    "first.seen": bool,
}, total=False)

Visited = TypedDict("Visited", {
}, total=False)

EventName = Literal[
    "order_paid",
    "order.paid",
    "visited",
]
`,
  )
})
