declare module 'fs-native-extensions' {
  /** Locks an open file for its descriptor (an OFD lock on Linux). False if another descriptor holds it. */
  export function tryLock(fd: number): boolean
}
