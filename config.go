package gsql

import (
	"net/url"
	"strconv"
	"strings"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/sysvar"
)

// DefaultDatabase is the database that always exists.
const DefaultDatabase = "gsql"

// Config configures Open. The zero value is usable.
type Config struct {
	Path        string            // folder in which the tables are kept, created if missing; "" keeps them in memory. See Open
	ReadOnly    bool              // open the folder for reading, also while another process writes; every statement that would change something fails
	Database    string            // database to use, created if missing; "" means DefaultDatabase
	Dir         string            // folder that relative file paths start from; "" means the process's working directory
	Workers     int               // goroutines a query may use; 0 means one per core
	MemoryLimit int64             // bytes that all tables and statements together may hold; 0 means 80 % of the machine's memory
	Variables   map[string]string // initial values of system variables, as SET GLOBAL sets them
	FileAccess  FileAccess        // files that statements may read and write; the zero value allows all of them
}

// ParseDSN parses a data source name as the package documentation describes it. The error is 1231,
// naming the option that is wrong.
func ParseDSN(dsn string) (Config, error) {
	var c Config
	name, query, _ := strings.Cut(dsn, "?")
	name, err := url.PathUnescape(name)
	if err != nil {
		return c, dsnError("database", name)
	}
	if dir, is := folder(name); is {
		c.Path = dir
	} else {
		c.Database = name
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return c, dsnError("options", query)
	}
	for key := range values {
		if err := c.setOption(strings.ToLower(key), values.Get(key)); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *Config) setOption(key, value string) error {
	switch key {
	case "dir":
		c.Dir = value
	case "database":
		c.Database = value
	case "readonly":
		on, err := strconv.ParseBool(value)
		if err != nil {
			return dsnError(key, value)
		}
		c.ReadOnly = on
	case "workers":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > sysvar.MaxWorkers {
			return dsnError(key, value)
		}
		c.Workers = n
	case "files":
		access, err := ParseFileAccess(value)
		if err != nil {
			return err
		}
		c.FileAccess = access
	case "memory_limit":
		n, err := mem.ParseSize(value)
		if err != nil {
			return dsnError(key, value)
		}
		c.MemoryLimit = n
	default:
		v, err := sysvar.Check(key, value)
		if err != nil {
			return err
		}
		if c.Variables == nil {
			c.Variables = map[string]string{}
		}
		c.Variables[key] = v
	}
	return nil
}

func dsnError(option, value string) error {
	return sqlerr.New(sqlerr.WrongValueForVar, "Variable '%s' can't be set to the value of '%s'", option, value).
		WithHint("A data source name is [database or folder][?option=value&...]; options are database, dir, files, memory_limit, readonly, workers and session variables.")
}

// FormatDSN formats c such that ParseDSN returns an equal Config.
func (c Config) FormatDSN() string {
	values := url.Values{}
	for k, v := range c.Variables {
		values.Set(k, v)
	}
	if c.Dir != "" {
		values.Set("dir", c.Dir)
	}
	if c.FileAccess.limited {
		values.Set("files", c.FileAccess.String())
	}
	if c.Workers != 0 {
		values.Set("workers", strconv.Itoa(c.Workers))
	}
	if c.MemoryLimit != 0 {
		values.Set("memory_limit", strconv.FormatInt(c.MemoryLimit, 10))
	}
	if c.ReadOnly {
		values.Set("readonly", "true")
	}
	dsn := url.PathEscape(c.Database)
	if c.Path != "" {
		dsn = "file:" + (&url.URL{Path: c.Path}).EscapedPath()
		if c.Database != "" {
			values.Set("database", c.Database)
		}
	}
	if len(values) > 0 {
		dsn += "?" + values.Encode()
	}
	return dsn
}
