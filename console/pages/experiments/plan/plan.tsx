import './plan.css'
import { useMemo } from 'preact/hooks'
import { formatCount, pluralize } from '../../../../domain/text/format.js'
import type { Schema } from '../../../client/api'
import { useQueryParams } from '../../../client/query-params'
import { Tabs } from '../../../components/controls/tabs'
import { countChanges, type DiffLine, parseDiff, sideBySide } from './diff'

type File = Schema<'PlanFile'>

const STATES: Readonly<Record<NonNullable<File['state']>, readonly [string, string]>> = {
  current: ['As planned', 'good'],
  changed: ['Changed since', 'warn'],
  moved: ['Moved', 'warn'],
  gone: ['Gone', 'bad'],
}

/** The files of the pull request with their diffs. The address keeps the view. */
export function PlanView(props: { readonly plan: Schema<'Plan'> }) {
  const { plan } = props
  const [params, change] = useQueryParams()
  const split = params.get('diff') === 'split'
  return (
    <section class="section">
      <div class="row">
        <h2>Code</h2>
        <span class="muted small">
          {pluralize(plan.files.length, 'file')}
          {plan.commit !== null && (
            <>
              {' '}
              at <code>{plan.commit.slice(0, 10)}</code>
            </>
          )}
        </span>
        <Tabs
          legend="Differences"
          small
          value={split ? 'split' : 'unified'}
          options={{ unified: 'Unified', split: 'Side by side' }}
          onChange={(next) => change({ diff: next === 'split' ? next : null })}
        />
      </div>
      {plan.files.map((file) => (
        <PlannedFile key={file.path} file={file} split={split} />
      ))}
    </section>
  )
}

function PlannedFile(props: { readonly file: File; readonly split: boolean }) {
  const { file, split } = props
  const lines = useMemo(() => (file.diff === null ? [] : parseDiff(file.diff)), [file.diff])
  const { gone, fresh } = countChanges(lines)
  const state = file.state === null ? undefined : STATES[file.state]
  return (
    // The manifest repeats what the other files show.
    <details class="file" open={lines.length > 0 && lines.length < 200 && !file.path.startsWith('.svc/')}>
      <summary>
        <code>{file.path}</code>
        <span class="badge plain">
          {{ create: 'New', modify: 'Changed', delete: 'Deleted' }[file.action]}
        </span>
        {state !== undefined && file.state !== 'current' && (
          <span class={`badge ${state[1]}`}>
            {state[0]}
            {file.movedTo !== null && ` to ${file.movedTo}`}
          </span>
        )}
        {lines.length > 0 && (
          <span class="small number">
            <span class="added">+{formatCount(fresh)}</span> <span class="removed">−{formatCount(gone)}</span>
          </span>
        )}
      </summary>
      {file.summary !== '' && <p class="file-summary small muted text">{file.summary}</p>}
      {lines.length === 0 ? (
        <p class="file-summary small muted">
          {file.diff === null ? 'No repository is connected, so there is no diff.' : 'Nothing changes in it.'}
        </p>
      ) : (
        <section class="diff-frame" tabIndex={0} aria-label={`Changes of ${file.path}`}>
          {split ? <Split lines={lines} /> : <Unified lines={lines} />}
        </section>
      )}
    </details>
  )
}

const SIGNS = { same: ' ', gone: '−', new: '+', gap: '' } as const
const WORDS = { gone: 'removed: ', new: 'added: ', same: '', gap: '' } as const

function Text(props: { readonly line: DiffLine | null }) {
  const { line } = props
  if (line === null) return <td class="code none" />
  return (
    <td class={`code ${line.kind}`}>
      <span class="sign" aria-hidden="true">
        {SIGNS[line.kind]}
      </span>
      <span class="hidden-text">{WORDS[line.kind]}</span>
      {line.kind === 'gap' ? `⋯ ${line.text}` : line.text}
    </td>
  )
}

function Unified(props: { readonly lines: readonly DiffLine[] }) {
  return (
    <table class="diff">
      <tbody>
        {props.lines.map((line) => (
          <tr key={`${line.before}:${line.after}:${line.text}`}>
            <td class="at number">{line.before}</td>
            <td class="at number">{line.after}</td>
            <Text line={line} />
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Split(props: { readonly lines: readonly DiffLine[] }) {
  const pairs = useMemo(() => sideBySide(props.lines), [props.lines])
  return (
    <table class="diff split">
      <tbody>
        {pairs.map(({ left, right }) => (
          <tr key={`${left?.before}:${right?.after}:${left?.text}`}>
            <td class="at number">{left?.before}</td>
            <Text line={left} />
            <td class="at number">{right?.after}</td>
            <Text line={right} />
          </tr>
        ))}
      </tbody>
    </table>
  )
}
