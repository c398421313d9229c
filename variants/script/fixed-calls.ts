import { childOf, childrenOf, expressionOf, type SourceNode, type Syntax, textOf } from './syntax.js'

/** Calls that a framework requires in every run of the surrounding code, so every variant must make them. */
export interface FixedCalls {
  readonly name: RegExp
  /** Continues `it calls NAME, `. */
  readonly why: string
}

export const REACT_HOOKS: FixedCalls = {
  name: /^use[A-Z0-9]/,
  why: 'a hook, which every render must call: edit only the arguments of the call',
}

export const SVELTE_RUNES: FixedCalls = {
  name: /^\$(state|derived|props|bindable|effect|inspect|host)$/,
  why: 'a rune, which must stay the whole value of its variable: edit only the arguments of the call',
}

/** Whether a file can call hooks: it contains JSX, or imports a library that has hooks. */
export const mayCallHooks = (path: string, text: string): boolean =>
  /\.[jt]sx$/i.test(path) || /\bfrom\s*['"]p?react(\/[^'"\n]*)?['"]/.test(text)

/** A quick test without parsing, because most code contains none of these names. */
export const mayBeFixed = (code: string, { name }: FixedCalls): boolean =>
  (code.match(/[$\w]+/g) ?? []).some((word) => name.test(word))

/** The name of such a call in an expression, outside nested functions; undefined if there is none. */
export function fixedCallIn(code: string, syntax: Syntax, fixed: FixedCalls): string | undefined {
  const { name } = fixed
  if (!mayBeFixed(code, fixed)) return undefined
  const waiting: SourceNode[] = [expressionOf(code, syntax)]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (/Function|ClassMethod|ObjectMethod|ClassProperty/.test(node.type)) continue
    if (/^(Optional)?CallExpression$/.test(node.type)) {
      const callee = childOf(node, 'callee')
      const names = [callee, childOf(callee, 'object'), childOf(callee, 'property')]
      const found = names.map((one) => textOf(one, 'name')).find((one) => one !== undefined && name.test(one))
      if (found !== undefined) return found
    }
    for (const child of childrenOf(node)) waiting.push(child.node)
  }
  return undefined
}
