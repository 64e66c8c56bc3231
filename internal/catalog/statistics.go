package catalog

// Statistics are what a server knows of the sizes of tables. No file keeps them: they are of one server and one day.
type Statistics struct {
	Server
	Tables map[string]Growth // by "schema.name"
	Ranges map[string]Range  // by "schema.name.column"
}

// Server is a database on its server.
type Server struct {
	Database, TimeZone string
	CronDatabase       string // for which pg_cron schedules, "" where that is not known
	HasCron            bool   // pg_cron is installed on the machine
	Since              string // the day from which on rows are counted, "" for ever
	Days               *float64
}

// Growth is the size of a table, its partitions included.
type Growth struct {
	Name     string
	Owners   []string // of the table and its schema, superusers left out
	Bytes    int64
	Size     string // the same, as people read it
	Rows     *int64 // about; nil where nobody knows
	Inserted int64  // since Server.Since
}

// Range is what ANALYZE found in a column.
type Range struct {
	Table, Column       string
	Nulls               float64 // the share of rows
	First, Middle, Last string  // half of the rows are before the middle; "" where no value was kept
}

// Percent are the rows without a value.
func (r Range) Percent() float64 { return 100 * r.Nulls }
