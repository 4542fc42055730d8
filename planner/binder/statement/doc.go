// Package statement holds the state of binding one statement: the session and its settings, the
// counters that limit a statement's size, column ids, positions in the text and placeholders.
package statement
