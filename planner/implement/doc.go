// Package implement turns logical plans into physical ones. For every operator it collects bids,
// one for each algorithm and device, prices them with package cost and takes the cheapest. The
// bids that lost stay with the operator for EXPLAIN. A Placement supplies the devices.
//
// Besides the algorithms of single operators, these alternatives bid:
//
//   - A GroupJoin computes aggregates over a row's join partners without the pairs. Conditions
//     that no order of rows serves are tested for all pairs, but still no pair is produced. Sums of
//     products of both sides' columns are split into sums of each side, groups of one side become
//     rows of the other, and a condition of two bands becomes a difference of two group joins.
//   - Eager aggregation aggregates an input of an equality join, or the left input of a left join,
//     by its join keys before the join.
//   - A null-aware join (NOT IN, <> ALL) is also planned as a chain of joins that need not tell
//     NULL from FALSE: one for equal partners, and others for NULLs on either side, each with the
//     conditions that correlate the subquery.
//   - A join that reads one input to its end before it opens the other one makes dynamic filters:
//     sets of its keys for scans in the other input, below projections, filters, joins, set operations and
//     aggregates by the key. A candidate is priced with the filters that save time.
//   - An index join looks up rows of a stored table by the values of a unique key that the other
//     input has, instead of reading the table.
//   - Equal aggregates of the finished plan, and equal joins below aggregates, become one Shared
//     subplan.
//
// A plan that is kept for later executions contains placeholders for parameters. Before each
// execution constants take their place, and the query is planned anew if a scan is then expected to
// keep four times more or fewer rows than the plan was made for (template.go).
package implement
