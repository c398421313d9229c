export { readLedgerOfKey } from './key-ledger.js'
export { endKey, issueKey, replaceKeyByNew, visibleKey, visibleKeys } from './operations.js'
export { GRACE_HOURS, type IssuedKey, MAX_GRACE_HOURS, rotateKey } from './rotate-key.js'
