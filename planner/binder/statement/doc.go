// Package statement holds the state of binding one statement: the session and its settings, the counters that
// bound what a statement may ask for, column ids, positions in the text and placeholders.
package statement
