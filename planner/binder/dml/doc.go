// Package dml binds statements that change rows: INSERT, REPLACE, UPDATE and DELETE.
package dml
