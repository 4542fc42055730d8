// Package ddl binds statements that define tables: CREATE TABLE, ALTER TABLE and CREATE INDEX, and the expressions of
// generated columns, defaults and CHECK constraints.
package ddl
