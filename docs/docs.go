// Package docs holds pages that the program shows parts of.
package docs

import _ "embed" // of the pages

// SQL is the page of the dialect, whose tables list the functions.
//
//go:embed sql.md
var SQL string
