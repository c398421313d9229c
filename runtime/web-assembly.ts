import { readFileSync } from 'node:fs'

/** Of the platform's WebAssembly, what is used here: the types of Node leave it to the browser's. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

/** The exports of a module of `scripts/build-modules.mjs`, in memory of their own. Who asks knows what they are. */
export function loadModule<T>(file: URL, imports: object): T {
  return new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), imports).exports as T
}
