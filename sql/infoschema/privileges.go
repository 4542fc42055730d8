package infoschema

import "strings"

// everyone is the only account, because there is no login.
const everyone = "'gsql'@'localhost'"

func init() {
	define(Information, "USER_PRIVILEGES", `GRANTEE varchar(292), TABLE_CATALOG varchar(512), PRIVILEGE_TYPE varchar(64),
		IS_GRANTABLE varchar(3)`, userPrivileges)
}

// privileges lists the privileges that every user has: name, context and comment as in SHOW
// PRIVILEGES.
var privileges = [][]any{
	{"Alter", "Tables", "To alter the table"},
	{"Create", "Databases,Tables,Indexes", "To create new databases and tables"},
	{"Create view", "Tables", "To create new views"},
	{"Delete", "Tables", "To delete existing rows"},
	{"Drop", "Databases,Tables", "To drop databases, tables, and views"},
	{"File", "File access on server", "To read and write files on the server"},
	{"Index", "Tables", "To create or drop indexes"},
	{"Insert", "Tables", "To insert data into tables"},
	{"Process", "Server Admin", "To view the plain text of currently executing queries"},
	{"Select", "Tables", "To retrieve rows from table"},
	{"Show databases", "Server Admin", "To see all databases with SHOW DATABASES"},
	{"Show view", "Tables", "To see views with SHOW CREATE VIEW"},
	{"Update", "Tables", "To update existing rows"},
}

// privilegesTable is the table that SHOW PRIVILEGES reads; it belongs to no database.
var privilegesTable = newDefinition("", "PRIVILEGES", "PRIVILEGE varchar(64), CONTEXT varchar(64), COMMENT varchar(128)", fixed(privileges...))

func userPrivileges(s *scan) error {
	for _, p := range privileges {
		s.add(everyone, "def", strings.ToUpper(p[0].(string)), "NO")
	}
	return nil
}
