/*
 * What is asked of JavaScript, since only its own functions say for certain how it writes a value.
 */

/** Writes the canonical form of the number between two places of the body; its length, 0 where it is too large for a double. */
export declare function canonicalNumber(from: usize, end: usize, to: usize): i32

/** Writes the canonical form of the object between two places of the body; its length, 0 where it breaks a rule. */
export declare function canonicalObject(from: usize, end: usize, to: usize): i32
