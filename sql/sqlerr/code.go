package sqlerr

import "strconv"

// Code is a MySQL error number. It is itself an error, so that
// errors.Is(err, sqlerr.NoSuchTable) works.
type Code uint16

// MySQL's error numbers. The names follow MySQL's symbols.
const (
	CantCreateFile               Code = 1004
	DBCreateExists               Code = 1007
	DBDropExists                 Code = 1008
	FileNotFound                 Code = 1017
	DiskFull                     Code = 1021
	OutOfMemory                  Code = 1037
	DBAccessDenied               Code = 1044
	NoDB                         Code = 1046
	BadNull                      Code = 1048
	BadDB                        Code = 1049
	TableExists                  Code = 1050
	BadTable                     Code = 1051
	ServerShutdown               Code = 1053
	NonUniq                      Code = 1052
	BadField                     Code = 1054
	WrongFieldWithGroup          Code = 1055
	WrongValueCount              Code = 1058
	DupFieldName                 Code = 1060
	DupKeyName                   Code = 1061
	DupEntry                     Code = 1062
	ParseError                   Code = 1064
	EmptyQuery                   Code = 1065
	NonUniqTable                 Code = 1066
	InvalidDefault               Code = 1067
	MultiplePriKey               Code = 1068
	KeyColumnDoesNotExist        Code = 1072
	FileExists                   Code = 1086
	CantDropFieldOrKey           Code = 1091
	UnknownError                 Code = 1105
	InvalidGroupFuncUse          Code = 1111
	InvalidUseOfNull             Code = 1138
	CantRemoveAllFields          Code = 1090
	CheckViolated                Code = 3819
	CheckNotFound                Code = 3821
	CheckDuplicate               Code = 3822
	CheckNamedFunction           Code = 3814
	CheckAutoIncrement           Code = 3818
	CheckUnknownColumn           Code = 3820
	DependentByCheck             Code = 3959
	GeneratedValue               Code = 3105
	GeneratedDependency          Code = 3108
	GeneratedNotPrior            Code = 3107
	GeneratedAutoIncrement       Code = 3109
	WrongAutoKey                 Code = 1075
	ConstraintNotFound           Code = 3940
	DefaultExprNotAllowed        Code = 3770
	InvalidOnUpdate              Code = 1294
	DuplicatedValueInType        Code = 1291
	WrongIndexName               Code = 1280
	OptionPreventsStatement      Code = 1290
	LocalInfileDisabled          Code = 3948
	TooManyFields                Code = 1117
	ForeignKeyColumn             Code = 1828
	IllegalValueForType          Code = 1367
	TooBigSet                    Code = 1097
	DupForeignKey                Code = 1826
	GeneratedFunction            Code = 3763
	WrongColumnName              Code = 1166
	NoSuchThread                 Code = 1094
	WrongDBName                  Code = 1102
	UnknownTable                 Code = 1109
	FieldSpecifiedTwice          Code = 1110
	UnsupportedExtension         Code = 1112
	NonexistingGrant             Code = 1141
	AbortingConnection           Code = 1152
	NoSuchTable                  Code = 1146
	UnknownSystemVariable        Code = 1193
	UnknownProcedure             Code = 1106
	WrongArguments               Code = 1210
	WrongUsage                   Code = 1221
	WrongNumberOfColumnsInSelect Code = 1222
	LocalVariable                Code = 1228
	GlobalVariable               Code = 1229
	WrongValueForVar             Code = 1231
	WrongTypeForVar              Code = 1232
	NotSupportedYet              Code = 1235
	DerivedMustHaveAlias         Code = 1248
	OperandColumns               Code = 1241
	SubqueryNo1Row               Code = 1242
	UnknownStmtHandler           Code = 1243
	IllegalReference             Code = 1247
	WarnDataTruncated            Code = 1265
	WarnDataOutOfRange           Code = 1264
	WrongValueCountOnRow         Code = 1136
	NonUpdatableTable            Code = 1288
	TruncatedWrongValue          Code = 1292
	SPDoesNotExist               Code = 1305
	UnsupportedPS                Code = 1295
	QueryInterrupted             Code = 1317
	SPWrongNoOfArgs              Code = 1318
	ViewSelectVariable           Code = 1351
	ViewInvalid                  Code = 1356
	DivisionByZero               Code = 1365
	TruncatedWrongValueForField  Code = 1366
	TriggerExists                Code = 1359
	TriggerDoesNotExist          Code = 1360
	TrgInWrongSchema             Code = 1435
	UpdateWithoutKeyInSafeMode   Code = 1175
	UnknownCollation             Code = 1273
	UnknownStorageEngine         Code = 1286
	NoBinaryLogging              Code = 1381
	EventDoesNotExist            Code = 1539
	UnknownTimeZone              Code = 1298
	InvalidTimestamp             Code = 1299
	UserLockWrongName            Code = 3057
	CollationCharsetMismatch     Code = 1253
	CantAggregate2Collations     Code = 1267
	NoSuchIndex                  Code = 1176
	WrongObject                  Code = 1347
	NoDefaultForField            Code = 1364
	DataTooLong                  Code = 1406
	TooBigPrecision              Code = 1426
	TooBigScale                  Code = 1425
	MBiggerThanD                 Code = 1427
	WrongParamCountToNativeFct   Code = 1582
	WrongParametersToNativeFct   Code = 1583
	ReadOnlyTransaction          Code = 1792
	TooManyRows                  Code = 1172
	NoData                       Code = 1329
	CantChangeTxCharacteristics  Code = 1568
	DataOutOfRange               Code = 1690
	InternalError                Code = 1815
	WriteConflict                Code = 1213
	QueryTimeout                 Code = 3024
	InvalidRegexp                Code = 3685
	RegexpIndexOutOfBounds       Code = 3686
	InvalidArgumentForLogarithm  Code = 3020
	InvalidJSONText              Code = 3140
	InvalidJSONTextInParam       Code = 3141
	InvalidJSONPath              Code = 3143
	InvalidJSONCharset           Code = 3144
	InvalidTypeForJSON           Code = 3146
	InvalidJSONPathWildcard      Code = 3149
	JSONVacuousPath              Code = 3153
	JSONBadOneOrAll              Code = 3154
	InvalidJSONValueForCast      Code = 3156
	JSONTooDeep                  Code = 3157
	JSONNullKey                  Code = 3158
	InvalidJSONPathArrayCell     Code = 3165
	InvalidBitwiseOperandsSize   Code = 3513
	WrongValueForType            Code = 1411
	InvalidCharacterString       Code = 1300
	AllowedPacketOverflowed      Code = 1301
	DatetimeOverflow             Code = 1441
	WrongValue                   Code = 1525
	HintIgnored                  Code = 3126
	SessionWasKilled             Code = 3169
	FileCorrupt                  Code = 1033
	SettingsError                Code = 1238
	LoadDataBadLine              Code = 1261
	LoadDataExtraFields          Code = 1262
	ErrorOnRead                  Code = 1024
	ErrorOnWrite                 Code = 1026
	TooManyTables                Code = 1116
	StackOverrun                 Code = 1436
	CTEColumnCount               Code = 1353
	CutValueGroupConcat          Code = 1260
	TooBigForUncompress          Code = 1256
	ZlibDataError                Code = 1259
	UnknownCharacterSet          Code = 1115
	WrongGroupField              Code = 1056
	NoTablesUsed                 Code = 1096
	MixOfGroupFuncAndFields      Code = 1140
	ViewRecursive                Code = 1462
	AutoIncReadFailed            Code = 1467
	OrderNotInSelect             Code = 3065
	TableMustHaveColumns         Code = 1113
	WrongFieldSpec               Code = 1063
	SecondaryEngine              Code = 3889
	CTERequiresUnion             Code = 3573
	CTESeedFirst                 Code = 3574
	CTEForbidsAggregation        Code = 3575
	CTEForbiddenJoinOrder        Code = 3576
	CTESingleReference           Code = 3577
	CTEMaxRecursionDepth         Code = 3636
	CTENotUnion                  Code = 4114
	TooManyGroupingArgs          Code = 3601
	GroupingNotGroupBy           Code = 3602
	WindowUnknown                Code = 3579
	WindowCircular               Code = 3580
	WindowChildPartitioning      Code = 3581
	WindowInheritsFrame          Code = 3582
	WindowRedefinesOrder         Code = 3583
	WindowFrameStart             Code = 3584
	WindowFrameEnd               Code = 3585
	WindowFrameIllegal           Code = 3586
	WindowRangeOrderType         Code = 3587
	WindowRangeTemporal          Code = 3588
	WindowRangeNumeric           Code = 3589
	WindowBoundNotConstant       Code = 3590
	WindowDuplicateName          Code = 3591
	WindowIllegalOrderBy         Code = 3592
	WindowInvalidUse             Code = 3593
	UnresolvedTableLock          Code = 3568
	WindowFuncAliasUse           Code = 3594
	WindowNestedInSpec           Code = 3595
	WindowRowsInterval           Code = 3596
)

var states = map[Code]string{
	LocalInfileDisabled: "42000", ServerShutdown: "08S01", AbortingConnection: "08S01", WrongDBName: "42000",
	DBAccessDenied: "42000", UnknownTable: "42S02", NonexistingGrant: "42000",
	DBCreateExists: "HY000", NoDB: "3D000", BadNull: "23000", BadDB: "42000", TableExists: "42S01",
	BadTable: "42S02", NonUniq: "23000", BadField: "42S22", WrongFieldWithGroup: "42000",
	WrongValueCount: "21S01", DupFieldName: "42S21", DupKeyName: "42000", DupEntry: "23000",
	ParseError: "42000", EmptyQuery: "42000", NonUniqTable: "42000", InvalidDefault: "42000",
	MultiplePriKey: "42000", KeyColumnDoesNotExist: "42000", CantDropFieldOrKey: "42000",
	WrongColumnName: "42000", FieldSpecifiedTwice: "42000", NoSuchTable: "42S02",
	WrongNumberOfColumnsInSelect: "21000", LocalVariable: "HY000", WrongValueForVar: "42000",
	WrongTypeForVar: "42000", NotSupportedYet: "42000", DerivedMustHaveAlias: "42000",
	OperandColumns: "21000", SubqueryNo1Row: "21000", IllegalReference: "42S22",
	WarnDataTruncated: "01000", WarnDataOutOfRange: "22003", WrongValueCountOnRow: "21S01",
	TruncatedWrongValue: "22007", SPDoesNotExist: "42000", SPWrongNoOfArgs: "42000", QueryInterrupted: "70100",
	DivisionByZero: "22012", NoSuchIndex: "42000", DataTooLong: "22001", TooBigPrecision: "42000",
	TooBigScale: "42000", MBiggerThanD: "42000", WrongParamCountToNativeFct: "42000",
	WrongParametersToNativeFct: "42000", DataOutOfRange: "22003", WriteConflict: "40001",
	ReadOnlyTransaction: "25006", TooManyRows: "42000", NoData: "02000", CantChangeTxCharacteristics: "25001", UnsupportedExtension: "42000", UnknownProcedure: "42000",
	InvalidUseOfNull: "22004", CantRemoveAllFields: "42000", WrongAutoKey: "42000", InvalidOnUpdate: "HY000",
	WrongGroupField: "42000", MixOfGroupFuncAndFields: "42000",
	OutOfMemory: "HY001", LoadDataBadLine: "01000", LoadDataExtraFields: "01000",
}

// State returns the SQLSTATE of the code, or HY000 if MySQL has no specific one.
func (c Code) State() string {
	if s, ok := states[c]; ok {
		return s
	}
	return "HY000"
}

// Error makes a Code usable as the target of errors.Is.
func (c Code) Error() string { return "MySQL error " + strconv.Itoa(int(c)) }
