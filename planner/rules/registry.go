package rules

// localRules are tried in this order at every node.
var localRules = []localRule{
	{"FoldExpressions", foldExpressions},
	{"EliminateFilter", eliminateFilter},
	{"PropagateEmpty", propagateEmpty},
	{"MergeFilters", mergeFilters},
	{"PushFilterIntoProject", pushFilterIntoProject},
	{"PushFilterIntoJoin", pushFilterIntoJoin},
	{"PushFilterIntoAggregate", pushFilterIntoAggregate},
	{"PushFilterIntoWindow", pushFilterIntoWindow},
	{"LimitPartitions", limitPartitions},
	{"PushFilterIntoSetOp", pushFilterIntoSetOp},
	{"PushFilterIntoSort", pushFilterIntoSort},
	{"PushFilterIntoScan", pushFilterIntoScan},
	{"ConvertMarkToSemi", convertMarkToSemi},
	{"PushJoinConditions", pushJoinConditions},
	{"IsolateSides", isolateSides},
	{"SolveProducts", solveProducts},
	{"OrientEqualities", orientEqualities},
	{"ConvertSingleJoin", convertSingleJoin},
	{"ConvertLeftJoin", convertLeftJoin},
	{"EliminateCrossJoin", eliminateCrossJoin},
	{"EliminateMaxOneRow", eliminateMaxOneRow},
	{"EliminateKeys", eliminateKeys},
	{"ShareSums", shareSums},
	{"ShowDigits", showDigits},
	{"EliminateSort", eliminateSort},
	{"EliminateSortKeys", eliminateSortKeys},
	{"EliminateDistinct", eliminateDistinct},
	{"EliminateSemiDistinct", eliminateSemiDistinct},
	{"ConvertSemiJoin", convertSemiJoin},
	{"EliminateProject", eliminateProject},
	{"MergeProjects", mergeProjects},
	{"MergeLimits", mergeLimits},
	{"PushLimitIntoProject", pushLimitIntoProject},
}

// treeRules run once each, in this order. The local rules run after each of them.
var treeRules = []treeRule{
	{"ConvertSubqueries", convertSubqueries},
	{"ConvertOuterJoins", convertOuterJoins},
	{"InferPredicates", inferPredicates},
	{"InferPartners", inferPartners},
	{"PruneColumns", pruneColumns},
}

// required names the rules that cannot be switched off.
var required = map[string]bool{"ConvertSubqueries": true}
