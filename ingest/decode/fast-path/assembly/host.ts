/* Imported from JavaScript, which alone knows for certain how it writes a value. */

/**
 * Writes the canonical form of the number in [from, end). Returns its length, 0 if it is too large for a
 * double.
 */
export declare function canonicalNumber(from: usize, end: usize, to: usize): i32

/** Writes the canonical form of the object in [from, end). Returns its length, 0 if it breaks a rule. */
export declare function canonicalObject(from: usize, end: usize, to: usize): i32
