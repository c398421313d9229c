import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Batch, batchOf } from '../../../generators/batch.js'
import { languageModel } from '../../../generators/llm/llm.js'
import type { Generator, Request, SiteFiles } from '../../../generators/port.js'
import { ruleGenerator } from '../../../generators/rule-generator.js'
import type { Figure } from '../../support/figures.js'

/** Public code bases on npm: package, version, folder. */
const CODE_BASES = [
  'create-vite@9.3.0 template-react-ts',
  'create-vue@3.22.3 template/code',
  'create-docusaurus@3.10.2 templates',
  '@shopify/cli-hydrogen@12.0.2 dist/assets/hydrogen/starter',
  'gentelella@4.2.0 production',
  'startbootstrap-sb-admin-2@4.1.4 .',
  '@codegouvfr/react-dsfr@1.33.0 src',
  '@vcmap/ui@6.3.11 .',
  'flowbite-svelte-admin-dashboard@2.1.1 dist',
]
const COUNT = 5
const READABLE = /\.(html?|vue|svelte|[cm]?[jt]sx?|json|ya?ml|toml|mdx?|xml|css)$|(^|\/)readme(\.\w+)?$/i

/**
 * One batch for each code base, by the rules and, if `SVC_LLM_URL` and `SVC_LLM_MODEL` are set, by a model.
 * `SVC_BENCH_CODE` names other folders or `package@version folder`, separated by commas. The proposals are
 * kept in `kept` to be read and judged.
 */
export async function proposalsCase(kept: string): Promise<Figure[]> {
  const { SVC_LLM_URL: url, SVC_LLM_MODEL: model, SVC_LLM_KEY: key, SVC_BENCH_CODE: chosen } = process.env
  const generators: [string, Generator][] = [['rules', ruleGenerator()]]
  if (url !== undefined && model !== undefined)
    generators.push([
      'model',
      languageModel({
        url,
        model,
        key,
        maxTokens: 200_000,
        seconds: 3_600,
        answerTokens: 32_000,
        questionSeconds: 3_600,
      }),
    ])
  mkdirSync(kept, { recursive: true })
  const figures: Figure[] = []
  for (const name of chosen?.split(',') ?? CODE_BASES) {
    const repository = filesBelow(await folderOf(name.trim(), kept))
    for (const [kind, generator] of generators) {
      const began = performance.now()
      const batch = await batchOf(generator, requestOf(repository), { mayChange: () => true })
      const { generated, proposals, ideas, questions, dropped, files } = batch
      const written = ideas.filter(({ reason }) => reason !== 'fault_seen')
      const seconds = (performance.now() - began) / 1000
      const label = `${name}, ${kind}`
      const tokens = questions.reduce((sum, { inputTokens }) => sum + inputTokens, 0)
      figures.push(
        { name: `${label}: ideas`, value: Math.max(generated, written.length), unit: '' },
        { name: `${label}: grounded`, value: groundedOf(batch), unit: '' },
        { name: `${label}: kept`, value: proposals.length, unit: '' },
        { name: `${label}: time`, value: seconds, unit: 's' },
        ...(kind === 'model' ? [{ name: `${label}: input tokens`, value: tokens, unit: '' }] : []),
      )
      const out = join(kept, `proposals-${kind}-${name.replace(/[^\w.]+/g, '-')}.json`)
      writeFileSync(out, JSON.stringify({ proposals, ideas, dropped, files, questions }, null, 1))
    }
  }
  return figures
}

/** Outcomes of ideas that could be written into the code, whether they are kept or not. */
const WRITTEN: readonly (string | null)[] = [null, 'not_worth', 'beyond_count']

/** How many ideas could be written into the code, also those that a review or the number wanted left out. */
export const groundedOf = ({ ideas }: Pick<Batch, 'ideas'>): number =>
  ideas.filter(({ reason }) => WRITTEN.includes(reason)).length

/** The folder of a code base; a package is fetched from the registry once. */
async function folderOf(name: string, kept: string): Promise<string> {
  if (existsSync(name)) return name
  const [spec = '', folder = '.'] = name.split(' ')
  const home = join(kept, 'code', spec.replace(/[^\w.@-]+/g, '-'))
  if (!existsSync(home)) {
    mkdirSync(home, { recursive: true })
    const [packed = ''] = execFileSync('npm', ['pack', spec, '--silent'], { cwd: home, encoding: 'utf8' })
      .trim()
      .split('\n')
      .slice(-1)
    execFileSync('tar', ['xzf', packed], { cwd: home })
  }
  return join(home, 'package', folder)
}

function filesBelow(root: string): SiteFiles {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  const paths = new Set(
    entries
      // A folder may be named like a file.
      .filter((one) => one.isFile())
      .map((one) => relative(root, join(one.parentPath, one.name)))
      .filter((path) => READABLE.test(path) && !/(^|\/)(node_modules|vendor|\.git)\//.test(path)),
  )
  const read = (path: string): string | null =>
    paths.has(path) ? readFileSync(join(root, path), 'utf8') : null
  return {
    read: async (path) => read(path),
    async *files() {
      for (const path of paths) yield { path, blobId: path, text: read(path) }
    },
  }
}

const requestOf = (repository: SiteFiles): Request => ({
  repository,
  vocabulary: [],
  notes: [],
  dismissals: [],
  lessons: [],
  inFlight: [],
  focus: null,
  count: COUNT,
  locale: null,
})
