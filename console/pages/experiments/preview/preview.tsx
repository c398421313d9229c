import './preview.css'
import { useMemo } from 'preact/hooks'
import type { Schema } from '../../../client/api'
import frameCss from './frame.css?url'
import { type PreviewUnit, previewUnits, type Shown } from './preview-units'
import { sanitize } from './sanitize'

/** Each variant side by side with the control. */
export function Preview(props: {
  readonly experiment: Pick<Schema<'ExperimentDetail'>, 'key' | 'variants' | 'plan'>
}) {
  const { key, variants, plan } = props.experiment
  const units = useMemo(() => previewUnits(plan, key), [plan, key])
  if (plan === undefined) return null
  return (
    <section class="section" aria-label="Preview">
      <h2>Preview</h2>
      {units.length === 0 ? (
        <p class="muted">
          There is no preview, because the plan names no text or element. The code below shows what changes.
        </p>
      ) : (
        <>
          {units.map((unit, index) => (
            <Unit key={index} unit={unit} variants={variants} />
          ))}
          <p class="hint">Each part is shown by itself, without the site's styles, scripts and images.</p>
        </>
      )}
    </section>
  )
}

function Unit(props: { readonly unit: PreviewUnit; readonly variants: readonly Schema<'Variant'>[] }) {
  const { path, before, everybody, variants } = props.unit
  const shown: (readonly [name: string, shown: Shown])[] =
    everybody === undefined
      ? props.variants.map(({ key, displayName }) => [displayName, variants[key] ?? before])
      : [
          ['Now', before],
          ['For everybody', everybody],
          ...props.variants.flatMap(({ key, displayName }) => {
            const own = variants[key]
            return own === undefined ? [] : [[displayName, own] as const]
          }),
        ]
  return (
    <div class="card">
      <h3>
        <code>{path}</code>
      </h3>
      <div class="preview-columns">
        {shown.map(([name, one]) => (
          <figure key={name} class="stack tight">
            <figcaption class="small muted">
              <bdi>{name}</bdi>
            </figcaption>
            <ShownPart shown={one} title={`${name} in ${path}`} />
          </figure>
        ))}
      </div>
    </div>
  )
}

function ShownPart(props: { readonly shown: Shown; readonly title: string }) {
  const { shown, title } = props
  switch (shown.kind) {
    case 'nothing':
      return <p class="muted">Nothing is shown here.</p>
    case 'text':
      return (
        <p class="preview-text text" dir="auto">
          {shown.content}
        </p>
      )
    case 'code':
      return (
        <>
          <pre tabIndex={0}>
            <code>{shown.content}</code>
          </pre>
          <p class="hint">Only the site's own build can render this.</p>
        </>
      )
    case 'markup':
      return <Markup markup={shown.content} title={title} />
  }
}

/** Rendered in a frame without scripts, forms, addresses and an origin. */
function Markup(props: { readonly markup: string; readonly title: string }) {
  const document = useMemo(() => frameOf(sanitize(props.markup)), [props.markup])
  const size = props.markup.length < 160 ? 'low' : props.markup.length < 800 ? '' : 'tall'
  return <iframe class={`preview-frame ${size}`} sandbox="" srcdoc={document} title={props.title} />
}

function frameOf(markup: string): string {
  const styles = new URL(frameCss, window.location.href).href
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${window.location.origin}"><link rel="stylesheet" href="${styles}"><body>${markup}`
}
