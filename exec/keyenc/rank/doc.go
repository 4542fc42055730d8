// Package rank replaces values without order keys (strings and wide decimals) by their ranks.
package rank
