import { Field } from '../../../components/controls/field'
import { type DraftVariant, evenSplits } from './experiment-draft'
import { ListFields } from './list-fields'
import type { ProblemAt } from './problems'

const MAX_VARIANTS = 8

/** The variants with their shares of the traffic. Once they exist, only the shares can change. */
export function VariantsFields(props: {
  readonly variants: readonly DraftVariant[]
  readonly areNamed: boolean
  readonly problemAt: ProblemAt
  readonly onChange: (variants: readonly DraftVariant[]) => void
}) {
  const { variants, areNamed, problemAt, onChange } = props
  const sum = variants.reduce((total, { trafficSplit }) => total + (Number(trafficSplit) || 0), 0)
  const problem = problemAt('/variants')
  return (
    <section class="card" aria-label="Variants">
      <h2>Variants</h2>
      <p class="hint">
        The first one is the control: what visitors see today. Its share and the others add up to 100%.
      </p>
      <ListFields
        rows={variants}
        what="variant"
        min={areNamed ? variants.length : 2}
        max={areNamed ? variants.length : MAX_VARIANTS}
        empty={{ key: '', displayName: '', trafficSplit: '0' }}
        onChange={onChange}
      >
        {(variant, index, change) => (
          <>
            {areNamed ? (
              <p class="grow">
                <bdi>{variant.displayName}</bdi>
              </p>
            ) : (
              <div class="grow">
                <Field
                  label={index === 0 ? 'Control' : `Variant ${index}`}
                  value={variant.displayName}
                  maxLength={200}
                  problem={problemAt(`/variants/${index}/displayName`)}
                  onChange={(displayName) => change({ displayName })}
                />
              </div>
            )}
            <Field
              label={`Share of ${areNamed ? variant.displayName : index === 0 ? 'the control' : `variant ${index}`}, %`}
              type="number"
              value={variant.trafficSplit}
              problem={problemAt(`/variants/${index}/trafficSplit`)}
              onChange={(trafficSplit) => change({ trafficSplit })}
            />
          </>
        )}
      </ListFields>
      <div class="row">
        <button type="button" class="button small" onClick={() => onChange(evenSplits(variants))}>
          Split evenly
        </button>
        <span class={sum === 100 ? 'muted small' : 'problem-text small'} role="status">
          {sum === 100 ? 'The shares add up to 100%.' : `The shares add up to ${sum}%, not to 100%.`}
        </span>
      </div>
      {problem !== undefined && sum === 100 && <p class="problem-text small">{problem}</p>}
    </section>
  )
}
