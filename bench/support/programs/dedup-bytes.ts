/** Memory of a program's insertIds, from the metrics of its operators' port; 0 if it does not answer. */
export async function dedupBytes(admin: string): Promise<number> {
  try {
    const text = await (await fetch(`${admin}/metrics`)).text()
    const values = [...text.matchAll(/^svc_dedup_bytes(?:\{[^}]*\})? (\S+)$/gm)]
    return values.reduce((sum, match) => sum + Number(match[1]), 0)
  } catch {
    return 0
  }
}
