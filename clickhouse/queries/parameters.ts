/** Collects the bound values of a statement, so that nothing a caller sent is ever part of its text. */
export class Parameters {
  readonly values: Record<string, unknown> = {}
  private readonly names = new Map<string, string>()

  /** The placeholder of a value of a ClickHouse type. Equal values share one. */
  bind(type: string, value: string | number | readonly string[] | readonly bigint[]): string {
    const key = `${type} ${JSON.stringify(typeof value === 'object' ? value.map(String) : value)}`
    let name = this.names.get(key)
    if (name === undefined) {
      name = `v${this.names.size}`
      this.names.set(key, name)
      this.values[name] = value
    }
    return `{${name}:${type}}`
  }
}
