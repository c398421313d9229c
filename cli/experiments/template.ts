/** The text of `svc experiments template`: a file that the API accepts, with every field. */
export const EXPERIMENT_TEMPLATE = `# An experiment for: svc experiments create FILE
name: Shorter checkout
# Made from the name if omitted.
key: shorter-checkout
hypothesis: One page instead of three loses fewer persons on the way to the order.
mechanism: fewer steps
notes: Asked for by the support team.
kind: experiment # or feature
testType: dom # or message
priority: high # low, medium (default) or high

# The first variant is the control. The splits add up to 100.
variants:
  - { displayName: Three pages, trafficSplit: 50 }
  - { displayName: One page, trafficSplit: 50 }

# The first target is the primary one, which decides.
conversionTargets:
  - eventName: order_paid
    name: Paid
    direction: increase # or decrease
    windowHours: 72 # null: any time after the exposure
    filters:
      - { property: total, operator: gte, value: 10 }
  - eventName: order_paid
    name: Order value
    metric: { type: mean, property: total }

# Where the experiment changes the site. Two experiments in flight do not share a surface.
surfaces:
  - { path: src/checkout.html, anchor: '#pay' }

# What the pull request changes, once a repository is connected. The file and the text must exist in it.
# changes:
#   - path: src/checkout.html
#     action: modify
#     edits:
#       - { find: '<h1>Step 1 of 3</h1>', replace: '<h1>Checkout</h1>', variant: one-page }
`
