import type ts from 'typescript'

/** An import from a module that is not at hand (`null`: a global), and what the file reads of it. */
interface Imported {
  module: string | null
  name: string
  members: readonly string[]
}

/** The names that a file imports from modules that are not at hand. */
export function importedFrom(
  compiler: typeof ts,
  { text, statements }: ts.SourceFile,
  missing: ReadonlySet<string>,
): Imported[] {
  const membersOf = (name: string): string[] => {
    const read = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\.([A-Za-z_$][\\w$]*)`, 'g')
    return [...text.matchAll(read)].map(([, member = '']) => member)
  }
  const found: Imported[] = [{ module: null, name: 'React', members: membersOf('React') }]
  for (const one of statements) {
    if (!compiler.isImportDeclaration(one) || !compiler.isStringLiteral(one.moduleSpecifier)) continue
    const module = one.moduleSpecifier.text
    if (!missing.has(module) || module.startsWith('.')) continue
    const { name, namedBindings: named } = one.importClause ?? {}
    found.push({ module, name: 'default', members: name === undefined ? [] : membersOf(name.text) })
    if (named !== undefined && compiler.isNamespaceImport(named))
      for (const member of membersOf(named.name.text)) found.push({ module, name: member, members: [] })
    else
      for (const { name, propertyName = name } of named?.elements ?? [])
        found.push({ module, name: propertyName.text, members: membersOf(name.text) })
  }
  return found
}

const ANY = '<A = any, B = any, C = any, D = any, E = any, F = any> = any'
/** Elements have any attributes, components those that they declare. */
const JSX = `declare namespace JSX {
  type Element = any
  type ElementType = any
  interface ElementAttributesProperty { props: {} }
  interface ElementChildrenAttribute { children: {} }
  interface IntrinsicAttributes { key?: any; ref?: any }
  interface IntrinsicElements { [name: string]: any }
}
interface ImportMeta { env: any; glob: any; hot: any }
`

/**
 * Declarations in which all that is imported from modules that are not at hand is `any`, as values, as types
 * and as namespaces. An interface that extends such a type has any member, and not only its own.
 */
export function missingModules(imported: readonly Imported[]): string {
  const modules = new Map<string | null, Map<string, Set<string>>>()
  for (const { module, name, members } of imported) {
    const names = modules.get(module) ?? new Map<string, Set<string>>()
    modules.set(module, names.set(name, new Set([...(names.get(name) ?? []), ...members])))
  }
  const declared = [...modules].map(([module, names]) => {
    const keyword = module === null ? 'declare ' : 'export '
    const lines = [...names].map(([name, members]) => {
      const types = [...members].map((member) => `type ${member}${ANY};`).join(' ')
      return name === 'default'
        ? `const _default: any; namespace _default { ${types} } export default _default;`
        : `${keyword}type ${name}${ANY}; ${keyword}const ${name}: any; ${keyword}namespace ${name} { ${types} }`
    })
    return module === null
      ? lines.join('\n')
      : `declare module ${JSON.stringify(module)} { ${lines.join('\n')} }`
  })
  return JSX + declared.join('\n')
}
