import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { packageRoot } from '../../../runtime/package-root.js'

const root = packageRoot()
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

for (const file of ['docs/operate/README.md', 'docs/operate/cluster.md', 'docs/operate/kubernetes.md'])
  t.test(`${file} names what there is`, (t) => {
    const text = read(file)
    const config = read('runtime/config.ts')
    for (const [variable] of text.matchAll(/\bSVC_[A-Z0-9_]+[A-Z]\b/g))
      t.ok(
        config.includes(`'${variable}'`) || config.includes(`'${variable.replace(/_FILE$/, '')}'`),
        variable,
      )
    const metrics = read('docs/operate/metrics.md')
    // `svc_shards` is a cluster of ClickHouse, and `svc_all` a database.
    for (const [metric] of text.matchAll(/\bsvc_(?!process_|nodejs_|shards\b|all\b)[a-z_]+[a-z]\b/g))
      t.ok(metrics.includes(metric), metric)
    for (const [, path = ''] of text.matchAll(/`((?:clickhouse|deploy|k6|test|docs)\/[\w./-]+)`/g))
      t.ok(existsSync(join(root, path)), path)
    for (const [, other = ''] of text.matchAll(/`([\w-]+\.md)`/g))
      t.ok(
        ['docs/operate', 'docs', ''].some((folder) => existsSync(join(root, folder, other))),
        other,
      )
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    for (const [, script = ''] of text.matchAll(/`(start:\w+)`/g)) t.ok(scripts[script], script)
    t.end()
  })

t.test('the Helm chart has the version of svc', (t) => {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string }
  const chart = parse(read('deploy/helm/Chart.yaml')) as Readonly<Record<string, unknown>>
  t.match(chart, { version, appVersion: version })
  t.end()
})
