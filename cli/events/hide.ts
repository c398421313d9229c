import type { CommonOptions, Context } from '../context.js'
import { forEachId } from '../for-each-id.js'
import { escapeControls } from '../output.js'

/** Hides event names, or lists them again. */
export const setHidden =
  (hidden: boolean) =>
  async (context: Context, names: readonly string[], options: CommonOptions): Promise<void> => {
    const api = await context.api()
    const run = (eventName: string) => api.call('updateEventName', { path: { eventName }, body: { hidden } })
    await forEachId(context, names, options, run, (_style, { eventName, hiddenBy }) => {
      const name = escapeControls(eventName)
      if (hiddenBy === null) return `${name} is listed.`
      return hidden ? `${name} is hidden.` : `${name} is still hidden by ${escapeControls(hiddenBy)}.`
    })
  }
