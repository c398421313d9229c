import { readFileSync } from 'node:fs'

/** The part of WebAssembly used here; Node's types leave it to those of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

/** Loads a module built by `scripts/build-modules.mjs`. @returns its exports, whose type the caller knows */
export function loadModule<T>(file: URL, imports: object): T {
  return compileModule<T>(file, imports)()
}

/** Compiles a module once. @returns makes an instance, each with a memory to itself */
export function compileModule<T>(file: URL, imports: object): () => T {
  const module = new WebAssembly.Module(readFileSync(file))
  return () => new WebAssembly.Instance(module, imports).exports as T
}
