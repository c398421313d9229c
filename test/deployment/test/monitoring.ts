import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import t from 'tap'
import { parse } from 'yaml'
import { packageRoot } from '../../../runtime/package-root.js'
import { script } from '../../support/scripts.js'

interface Dashboard {
  readonly panels: readonly {
    readonly title: string
    readonly type: string
    readonly targets?: readonly { readonly expr: string }[]
  }[]
}
interface Metric {
  readonly name: string
  readonly type: string
  readonly labels: readonly string[]
}
const { dashboard, readMetrics } = await script<{ dashboard(): Dashboard; readMetrics(): Metric[] }>(
  'build-dashboard.mjs',
)
const read = (file: string): string => readFileSync(join(packageRoot(), file), 'utf8')
const metrics = readMetrics()
/** Names and labels of the samples that metrics have. */
const samples = new Map(
  metrics.flatMap(({ name, type, labels }): [string, readonly string[]][] =>
    type === 'histogram' ? [[`${name}_bucket`, [...labels, 'le']]] : [[name, labels]],
  ),
)
const SCRAPED = ['instance', 'job', 'process']

/** Problems of a PromQL expression. */
function problemsOf(expression: string): string[] {
  const text = expression.replaceAll('$__rate_interval', '5m')
  const problems: string[] = []
  let used: readonly string[] = []
  parser.parse(text).iterate({
    enter({ name, type, from, to }) {
      const word = text.slice(from, to)
      if (type.isError) problems.push(`cannot be parsed at ${from}`)
      // Node's own metrics are not in the table.
      if (name !== 'Identifier' || word === 'up' || word.startsWith('svc_nodejs_')) return
      const labels = samples.get(word)
      if (labels === undefined) problems.push(`there is no metric ${word}`)
      else used = [...used, ...labels]
    },
  })
  parser.parse(text).iterate({
    enter({ name, from, to }) {
      const label = text.slice(from, to)
      if (name === 'LabelName' && ![...used, ...SCRAPED].includes(label))
        problems.push(`no metric has the label ${label}`)
    },
  })
  return problems
}

t.test('the dashboard is that of the table of metrics, and its queries can be parsed', async (t) => {
  const stored = JSON.parse(read('deploy/grafana/svc.json')) as unknown
  t.strictSame(stored, dashboard(), 'run node scripts/build-dashboard.mjs')
  const { panels } = dashboard()
  const shown = panels.filter(({ type }) => type !== 'row').map(({ title }) => title)
  t.strictSame([...shown].sort(), metrics.map(({ name }) => name).sort(), 'a panel for each metric')
  for (const { targets = [] } of panels)
    for (const { expr } of targets) t.strictSame(problemsOf(expr), [], expr)
})

t.test('the alert rules can be parsed, and name what there is', async (t) => {
  const { groups } = parse(read('deploy/prometheus/alerts.yml')) as {
    groups: {
      rules: {
        alert: string
        expr: string
        for?: string
        labels: { severity: string }
        annotations: { summary: string }
      }[]
    }[]
  }
  const rules = groups.flatMap((group) => group.rules)
  t.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  for (const rule of rules) {
    t.strictSame(problemsOf(rule.expr), [], rule.alert)
    t.match(rule.for ?? '0m', /^\d+m$/, rule.alert)
    t.match(rule.labels.severity, /^(page|ticket)$/, rule.alert)
    t.ok(rule.annotations.summary, rule.alert)
  }
})

t.test('problems of an expression are found', async (t) => {
  t.strictSame(problemsOf('sum by (le) (rate(svc_ingest_request_seconds_bucket[5m]))'), [])
  t.match(problemsOf('sum(rate(svc_jobs[5m])'), [/cannot be parsed/])
  t.strictSame(problemsOf('svc_job_count'), ['there is no metric svc_job_count'])
  t.strictSame(problemsOf('svc_jobs{status="failed"}'), ['no metric has the label status'])
})
