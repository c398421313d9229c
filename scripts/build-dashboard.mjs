#!/usr/bin/env node
// Writes deploy/grafana/svc.json, a dashboard with a panel for each metric, from the table in
// docs/operate/metrics.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const FILE = join(root, 'deploy', 'grafana', 'svc.json')

const ROWS = [
  ['Ingestion', /^svc_ingest_/],
  ['Consumers', /^svc_(consumer|dedup|identity)_/],
  ['Ledger', /^svc_ledger_/],
  ['Management API', /^svc_(api|event)_/],
  ['Background jobs', /^svc_(jobs?(_|$)|export_)/],
  ['Language model', /^svc_model_/],
]
/** Gauges that each process has for itself. Of the others every process sees the same. */
const PER_PROCESS = /^svc_(ingest|dedup|api)_/

/** The metrics of the table: `{ name, labels, type, meaning }`. */
export function readMetrics() {
  const text = readFileSync(join(root, 'docs', 'operate', 'metrics.md'), 'utf8')
  return [...text.matchAll(/^\| (`svc_.+?`) \| (counter|gauge|histogram) \| (.+) \|$/gm)].flatMap(
    ([, names, type, meaning]) =>
      [...names.matchAll(/`(\w+)(?:\{([\w,]+)\})?`/g)].map(([, name, labels]) => ({
        name,
        labels: labels?.split(',') ?? [],
        type,
        meaning,
      })),
  )
}

function queriesOf({ name, labels, type }) {
  const by = labels.length === 0 ? '' : ` by (${labels.join(', ')})`
  const legend = labels.map((label) => `{{${label}}}`).join(' ') || name
  if (type === 'counter') return [{ expr: `sum${by} (rate(${name}[$__rate_interval]))`, legend }]
  if (type === 'gauge') return [{ expr: `${PER_PROCESS.test(name) ? 'sum' : 'max'}${by} (${name})`, legend }]
  const buckets = `sum by (${['le', ...labels].join(', ')}) (rate(${name}_bucket[$__rate_interval]))`
  return [0.5, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, ${buckets})`,
    legend: `p${quantile * 100} ${labels.length === 0 ? '' : legend}`.trim(),
  }))
}

function unitOf({ name, type }) {
  if (/_seconds$/.test(name)) return 's'
  if (type === 'counter') return /bytes/.test(name) ? 'Bps' : 'cps'
  return /bytes/.test(name) ? 'bytes' : 'short'
}

function panelOf(metric, id, position) {
  return {
    id,
    type: 'timeseries',
    title: metric.name,
    description: metric.meaning,
    datasource: { type: 'prometheus', uid: '$datasource' },
    gridPos: { h: 8, w: 8, ...position },
    fieldConfig: { defaults: { unit: unitOf(metric), min: 0 }, overrides: [] },
    targets: queriesOf(metric).map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      expr,
      legendFormat: legend,
    })),
  }
}

function panels() {
  const metrics = readMetrics()
  const all = []
  let y = 0
  for (const [title, pattern] of ROWS) {
    const own = metrics.filter(({ name }) => pattern.test(name))
    all.push({
      id: all.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { h: 1, w: 24, x: 0, y },
    })
    own.forEach((metric, index) => {
      const position = { x: (index % 3) * 8, y: y + 1 + Math.floor(index / 3) * 8 }
      all.push(panelOf(metric, all.length + 1, position))
    })
    y += 1 + Math.ceil(own.length / 3) * 8
  }
  return all
}

export function dashboard() {
  const datasource = { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }
  return {
    uid: 'svc',
    title: 'svc',
    tags: ['svc'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [datasource] },
    panels: panels(),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(FILE, `${JSON.stringify(dashboard(), null, 2)}\n`)
