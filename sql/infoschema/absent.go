package infoschema

// Tables for features that gsql lacks exist because clients query them. They are empty.
func init() {
	define(Information, "COLUMN_PRIVILEGES", `GRANTEE varchar(292), TABLE_CATALOG varchar(512), TABLE_SCHEMA varchar(64), TABLE_NAME varchar(64),
		COLUMN_NAME varchar(64), PRIVILEGE_TYPE varchar(64), IS_GRANTABLE varchar(3)`, nil)
	define(Information, "TABLE_PRIVILEGES", `GRANTEE varchar(292), TABLE_CATALOG varchar(512), TABLE_SCHEMA varchar(64), TABLE_NAME varchar(64),
		PRIVILEGE_TYPE varchar(64), IS_GRANTABLE varchar(3)`, nil)
	define(Information, "SCHEMA_PRIVILEGES", `GRANTEE varchar(292), TABLE_CATALOG varchar(512), TABLE_SCHEMA varchar(64),
		PRIVILEGE_TYPE varchar(64), IS_GRANTABLE varchar(3)`, nil)
	define(Information, "APPLICABLE_ROLES", `USER varchar(97), HOST varchar(256), GRANTEE varchar(97), GRANTEE_HOST varchar(256), ROLE_NAME varchar(255),
		ROLE_HOST varchar(256), IS_GRANTABLE varchar(3), IS_DEFAULT varchar(3), IS_MANDATORY varchar(3)`, nil)
	define(Information, "ADMINISTRABLE_ROLE_AUTHORIZATIONS", `USER varchar(97), HOST varchar(256), GRANTEE varchar(97), GRANTEE_HOST varchar(256), ROLE_NAME varchar(255),
		ROLE_HOST varchar(256), IS_GRANTABLE varchar(3), IS_DEFAULT varchar(3), IS_MANDATORY varchar(3)`, nil)
	define(Information, "ENABLED_ROLES", `ROLE_NAME varchar(255), ROLE_HOST varchar(255), IS_DEFAULT varchar(3), IS_MANDATORY varchar(3)`, nil)
	define(Information, "ROLE_TABLE_GRANTS", `GRANTOR varchar(97), GRANTOR_HOST varchar(256), GRANTEE varchar(32), GRANTEE_HOST varchar(255),
		TABLE_CATALOG varchar(3), TABLE_SCHEMA varchar(64), TABLE_NAME varchar(64), PRIVILEGE_TYPE varchar(64), IS_GRANTABLE varchar(3)`, nil)
	define(Information, "ST_GEOMETRY_COLUMNS", `TABLE_CATALOG varchar(64), TABLE_SCHEMA varchar(64), TABLE_NAME varchar(64),
		COLUMN_NAME varchar(64), SRS_NAME varchar(80), SRS_ID int unsigned, GEOMETRY_TYPE_NAME longtext`, nil)
	define(Information, "EVENTS", `EVENT_CATALOG varchar(64), EVENT_SCHEMA varchar(64), EVENT_NAME varchar(64), DEFINER varchar(288),
		TIME_ZONE varchar(64), EVENT_BODY varchar(3), EVENT_DEFINITION longtext, EVENT_TYPE varchar(9), EXECUTE_AT datetime,
		INTERVAL_VALUE varchar(256), INTERVAL_FIELD varchar(18), SQL_MODE longtext, STARTS datetime, ENDS datetime, STATUS varchar(21),
		ON_COMPLETION varchar(12), CREATED timestamp, LAST_ALTERED timestamp, LAST_EXECUTED datetime, EVENT_COMMENT varchar(2048),
		ORIGINATOR int unsigned, CHARACTER_SET_CLIENT varchar(64), COLLATION_CONNECTION varchar(64), DATABASE_COLLATION varchar(64)`, nil)
	define(Information, "COLUMN_STATISTICS", `SCHEMA_NAME varchar(64), TABLE_NAME varchar(64), COLUMN_NAME varchar(64), HISTOGRAM json`, nil)
	define(Information, "FILES", `FILE_ID bigint, FILE_NAME text, FILE_TYPE varchar(256), TABLESPACE_NAME varchar(268), TABLE_CATALOG varchar(1),
		TABLE_SCHEMA binary(0), TABLE_NAME binary(0), LOGFILE_GROUP_NAME varchar(256), LOGFILE_GROUP_NUMBER bigint, ENGINE varchar(64),
		FULLTEXT_KEYS binary(0), DELETED_ROWS binary(0), UPDATE_COUNT binary(0), FREE_EXTENTS bigint, TOTAL_EXTENTS bigint,
		EXTENT_SIZE bigint, INITIAL_SIZE bigint, MAXIMUM_SIZE bigint, AUTOEXTEND_SIZE bigint, CREATION_TIME binary(0),
		LAST_UPDATE_TIME binary(0), LAST_ACCESS_TIME binary(0), RECOVER_TIME binary(0), TRANSACTION_COUNTER binary(0), VERSION bigint,
		ROW_FORMAT varchar(256), TABLE_ROWS binary(0), AVG_ROW_LENGTH binary(0), DATA_LENGTH binary(0), MAX_DATA_LENGTH binary(0),
		INDEX_LENGTH binary(0), DATA_FREE bigint, CREATE_TIME binary(0), UPDATE_TIME binary(0), CHECK_TIME binary(0), CHECKSUM binary(0),
		STATUS varchar(256), EXTRA varchar(256)`, nil)
	define(Information, "PARAMETERS", `SPECIFIC_CATALOG varchar(64), SPECIFIC_SCHEMA varchar(64), SPECIFIC_NAME varchar(64),
		ORDINAL_POSITION bigint unsigned, PARAMETER_MODE varchar(5), PARAMETER_NAME varchar(64), DATA_TYPE longtext,
		CHARACTER_MAXIMUM_LENGTH bigint, CHARACTER_OCTET_LENGTH bigint, NUMERIC_PRECISION int unsigned, NUMERIC_SCALE bigint,
		DATETIME_PRECISION int unsigned, CHARACTER_SET_NAME varchar(64), COLLATION_NAME varchar(64), DTD_IDENTIFIER mediumtext,
		ROUTINE_TYPE varchar(9)`, nil)
	define(Information, "PLUGINS", `PLUGIN_NAME varchar(64), PLUGIN_VERSION varchar(20), PLUGIN_STATUS varchar(10), PLUGIN_TYPE varchar(80),
		PLUGIN_TYPE_VERSION varchar(20), PLUGIN_LIBRARY varchar(64), PLUGIN_LIBRARY_VERSION varchar(20), PLUGIN_AUTHOR varchar(64),
		PLUGIN_DESCRIPTION longtext, PLUGIN_LICENSE varchar(80), LOAD_OPTION varchar(64)`, nil)
	define(Information, "ROUTINES", `SPECIFIC_NAME varchar(64), ROUTINE_CATALOG varchar(64), ROUTINE_SCHEMA varchar(64),
		ROUTINE_NAME varchar(64), ROUTINE_TYPE varchar(9), DATA_TYPE longtext, CHARACTER_MAXIMUM_LENGTH bigint, CHARACTER_OCTET_LENGTH bigint,
		NUMERIC_PRECISION int unsigned, NUMERIC_SCALE int unsigned, DATETIME_PRECISION int unsigned, CHARACTER_SET_NAME varchar(64),
		COLLATION_NAME varchar(64), DTD_IDENTIFIER longtext, ROUTINE_BODY varchar(8), ROUTINE_DEFINITION longtext, EXTERNAL_NAME binary(0),
		EXTERNAL_LANGUAGE varchar(64), PARAMETER_STYLE varchar(3), IS_DETERMINISTIC varchar(3), SQL_DATA_ACCESS varchar(17), SQL_PATH binary(0),
		SECURITY_TYPE varchar(7), CREATED timestamp, LAST_ALTERED timestamp, SQL_MODE longtext, ROUTINE_COMMENT text, DEFINER varchar(288),
		CHARACTER_SET_CLIENT varchar(64), COLLATION_CONNECTION varchar(64), DATABASE_COLLATION varchar(64)`, nil)
	define(Information, "TRIGGERS", `TRIGGER_CATALOG varchar(64), TRIGGER_SCHEMA varchar(64), TRIGGER_NAME varchar(64),
		EVENT_MANIPULATION varchar(6), EVENT_OBJECT_CATALOG varchar(64), EVENT_OBJECT_SCHEMA varchar(64), EVENT_OBJECT_TABLE varchar(64),
		ACTION_ORDER int unsigned, ACTION_CONDITION binary(0), ACTION_STATEMENT longtext, ACTION_ORIENTATION varchar(3),
		ACTION_TIMING varchar(6), ACTION_REFERENCE_OLD_TABLE binary(0), ACTION_REFERENCE_NEW_TABLE binary(0),
		ACTION_REFERENCE_OLD_ROW varchar(3), ACTION_REFERENCE_NEW_ROW varchar(3), CREATED timestamp, SQL_MODE longtext, DEFINER varchar(288),
		CHARACTER_SET_CLIENT varchar(64), COLLATION_CONNECTION varchar(64), DATABASE_COLLATION varchar(64)`, nil)
	define(Information, "VIEW_ROUTINE_USAGE", `TABLE_CATALOG varchar(64), TABLE_SCHEMA varchar(64), TABLE_NAME varchar(64),
		SPECIFIC_CATALOG varchar(64), SPECIFIC_SCHEMA varchar(64), SPECIFIC_NAME varchar(64)`, nil)
}
