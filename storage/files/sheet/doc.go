// Package sheet reads the sheets of Excel files (.xlsx), which are XML files in a zip archive
// (ECMA-376). It uses the standard library's readers of both. Values keep the types of their cells:
// texts, numbers, booleans, and dates and times, which are numbers with a format of dates. Cells with
// errors such as #N/A are NULL, and rows without values are omitted.
package sheet
