import { readFileSync } from 'node:fs'

/** The part of WebAssembly used here; Node's types leave it to those of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

/** Loads a module built by `scripts/build-modules.mjs`. @returns its exports, whose type the caller knows */
export function loadModule<T>(file: URL, imports: object): T {
  return new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), imports).exports as T
}
