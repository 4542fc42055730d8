// Package block binds what depends on one query block: it resolves names through the block and those around it, binds
// GROUP BY, aggregates, window functions, the select list, HAVING and ORDER BY, and turns expressions over rows into
// expressions over groups. Subqueries it leaves to a Queries.
package block
