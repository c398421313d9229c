import { Checkbox } from '../../../components/controls/checkbox'
import { Field } from '../../../components/controls/field'
import { Select } from '../../../components/controls/select'
import {
  type DraftChange,
  type DraftSurface,
  type DraftVariant,
  emptyChange,
  emptyEdit,
  emptySurface,
} from './experiment-draft'
import { ListFields } from './list-fields'
import type { ProblemAt } from './problems'

const MAX_ROWS = 20

/** The parts of the site that the experiment changes. */
export function SurfacesFields(props: {
  readonly surfaces: readonly DraftSurface[]
  /** Another experiment in flight shares a surface. */
  readonly overlaps: boolean
  readonly acknowledged: boolean
  readonly acknowledge: (acknowledged: boolean) => void
  readonly problemAt: ProblemAt
  readonly onChange: (surfaces: readonly DraftSurface[]) => void
}) {
  const { problemAt } = props
  return (
    <section class="card" aria-label="Surfaces">
      <h2>Surfaces</h2>
      <p class="hint">
        The parts of the site that it changes, so that two experiments do not meddle with the same one.
      </p>
      <ListFields
        rows={props.surfaces}
        what="surface"
        max={MAX_ROWS}
        empty={emptySurface}
        onChange={props.onChange}
      >
        {({ path, anchor }, index, change) => (
          <>
            <div class="grow">
              <Field
                label="Page or file"
                value={path}
                placeholder="src/checkout.html"
                problem={problemAt(`/surfaces/${index}/path`) ?? problemAt(`/surfaces/${index}`)}
                onChange={(next) => change({ path: next })}
              />
            </div>
            <div class="grow">
              <Field
                label="Part of it"
                value={anchor}
                placeholder="all of it"
                problem={problemAt(`/surfaces/${index}/anchor`)}
                onChange={(next) => change({ anchor: next })}
              />
            </div>
          </>
        )}
      </ListFields>
      {props.overlaps && (
        <Checkbox checked={props.acknowledged} onChange={props.acknowledge}>
          Run both although they share a surface
        </Checkbox>
      )}
    </section>
  )
}

/** The changes of the pull request. */
export function ChangesFields(props: {
  readonly changes: readonly DraftChange[]
  readonly variants: readonly DraftVariant[]
  readonly problemAt: ProblemAt
  readonly onChange: (changes: readonly DraftChange[]) => void
}) {
  return (
    <section class="card" aria-label="Code">
      <h2>Code</h2>
      <p class="hint">
        What the pull request changes in the connected repository. Leave it empty if your team writes the
        variants.
      </p>
      <ListFields
        rows={props.changes}
        what="file"
        max={MAX_ROWS}
        empty={emptyChange}
        onChange={props.onChange}
      >
        {(row, index, change) => (
          <ChangeFields
            row={row}
            variants={props.variants}
            problemAt={(path) => props.problemAt(`/changes/${index}${path}`)}
            change={change}
          />
        )}
      </ListFields>
    </section>
  )
}

function ChangeFields(props: {
  readonly row: DraftChange
  readonly variants: readonly DraftVariant[]
  readonly problemAt: ProblemAt
  readonly change: (changes: Partial<DraftChange>) => void
}) {
  const { row, variants, problemAt, change } = props
  const seenBy = [
    ...variants
      .slice(1)
      .map(({ displayName }, at) => [`${at + 1}`, displayName || `Variant ${at + 1}`] as const),
    ['', 'Everybody'] as const,
  ]
  return (
    <div class="stack grow">
      <div class="toolbar">
        <div class="wide">
          <Field
            label="File"
            value={row.path}
            placeholder="src/checkout.html"
            problem={problemAt('/path') ?? problemAt('')}
            onChange={(path) => change({ path })}
          />
        </div>
        <Select
          label="What happens to it"
          value={row.action}
          options={{ modify: 'Change texts', create: 'New file', delete: 'Delete' }}
          onChange={(action) => change({ action })}
        />
      </div>
      {row.action === 'create' && (
        <Field
          label="Content"
          value={row.content}
          lines={6}
          problem={problemAt('/content')}
          onChange={(content) => change({ content })}
        />
      )}
      {row.action === 'modify' && (
        <ListFields
          rows={row.edits}
          what="text"
          min={1}
          max={MAX_ROWS}
          empty={emptyEdit}
          onChange={(edits) => change({ edits })}
        >
          {(edit, index, changeEdit) => (
            <div class="columns grow">
              <Field
                label="Find"
                value={edit.find}
                lines={2}
                hint="It must be in the file exactly once."
                problem={problemAt(`/edits/${index}/find`)}
                onChange={(find) => changeEdit({ find })}
              />
              <Field
                label="Replace by"
                value={edit.replace}
                lines={2}
                problem={problemAt(`/edits/${index}/replace`) ?? problemAt(`/edits/${index}/variant`)}
                onChange={(replace) => changeEdit({ replace })}
              />
              <Select
                label="Seen by"
                value={edit.variant}
                options={seenBy}
                onChange={(variant) => changeEdit({ variant })}
              />
            </div>
          )}
        </ListFields>
      )}
    </div>
  )
}
