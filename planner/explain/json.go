package explain

import (
	"encoding/json"
	"math"
	"strings"

	"gsql/planner/physical"
	"gsql/sql/sqlerr"
)

// jsonNode is the schema of FORMAT='json'. Names are stable; fields are only added.
type jsonNode struct {
	ID       int         `json:"id"`
	Operator string      `json:"operator"`
	Kind     string      `json:"kind"`
	Device   string      `json:"device"`
	Details  []string    `json:"details,omitempty"`
	Columns  []string    `json:"columns,omitempty"`
	EstRows  float64     `json:"est_rows"`
	CostMS   float64     `json:"cost_ms"`
	TotalMS  float64     `json:"total_ms"`
	EstBytes float64     `json:"est_bytes,omitempty"`
	Actual   *jsonActual `json:"actual,omitempty"`
	Rejected []jsonBid   `json:"rejected,omitempty"`
	Inputs   []*jsonNode `json:"inputs,omitempty"`
}

// jsonActual has neither rows nor q_error for an operator whose output was not read.
type jsonActual struct {
	Rows    *int64   `json:"rows,omitempty"`
	Batches int64    `json:"batches"`
	TimeMS  float64  `json:"time_ms"`
	Memory  int64    `json:"memory_bytes"`
	Spilled int64    `json:"spilled_bytes,omitempty"`
	Dropped int64    `json:"rows_dropped_by_dynamic_filters,omitempty"`
	QError  *float64 `json:"q_error,omitempty"`

	ToDevice   int64   `json:"bytes_to_device,omitempty"`
	FromDevice int64   `json:"bytes_from_device,omitempty"`
	DeviceMS   float64 `json:"device_ms,omitempty"`
	Launches   int64   `json:"device_launches,omitempty"`
	Waits      int64   `json:"device_waits,omitempty"`
	Pieces     int64   `json:"device_pieces,omitempty"`
	Passes     int64   `json:"device_passes,omitempty"`
	DividedMS  float64 `json:"divided_ms,omitempty"`
	Received   []int64 `json:"bytes_between_devices,omitempty"`
	Sent       []int64 `json:"bytes_to_each_device,omitempty"`
	Balance    float64 `json:"device_balance,omitempty"`
	Fallback   string  `json:"fallback,omitempty"`
}

type jsonBid struct {
	Algorithm string   `json:"algorithm"`
	Device    string   `json:"device"`
	Differs   []string `json:"differs,omitempty"`
	TotalMS   *float64 `json:"total_ms,omitempty"`
	Why       string   `json:"why,omitempty"`
}

// JSON returns FORMAT='json': the plan as one indented document, line by line.
func JSON(root *physical.Node, m Metrics) ([]string, error) {
	text, err := json.MarshalIndent(toJSON(root, m), "", "  ")
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.InternalError, err, "plan as JSON")
	}
	return strings.Split(string(text), "\n"), nil
}

func toJSON(n *physical.Node, m Metrics) *jsonNode {
	name, details := n.Op.Describe()
	out := &jsonNode{
		ID: n.ID, Operator: name, Kind: n.Op.Kind(), Device: string(n.Device), Details: details,
		EstRows: round(n.Est.Rows), CostMS: round(n.Est.CostMS), TotalMS: round(n.Est.TotalMS), EstBytes: round(n.Est.Bytes),
	}
	for i := range n.Cols {
		out.Columns = append(out.Columns, n.Cols[i].Ref().Name)
	}
	if a := m[n.ID]; a != nil {
		out.Actual = &jsonActual{Batches: a.Batches, TimeMS: round(ms(a.Time)), Memory: a.Mem, Spilled: a.Spilled, Dropped: a.Dropped,
			ToDevice: a.BytesToDevice, FromDevice: a.BytesFromDevice, DeviceMS: round(ms(a.DeviceTime)), Launches: a.Launches, Waits: a.Waits, Pieces: a.Pieces, Passes: a.Passes, DividedMS: round(ms(a.Divided)), Received: a.Received, Sent: a.Sent, Balance: round(a.Balance), Fallback: a.Fallback}
		if !a.Unread {
			q := round(QError(n.Est.Rows, a.Rows))
			out.Actual.Rows, out.Actual.QError = &a.Rows, &q
		}
	}
	for i := range n.Rejected {
		out.Rejected = append(out.Rejected, toJSONBid(&n.Rejected[i], n))
	}
	for _, in := range n.In {
		out.Inputs = append(out.Inputs, toJSON(in, m))
	}
	return out
}

func toJSONBid(b *physical.Bid, taken *physical.Node) jsonBid {
	out := jsonBid{Algorithm: b.Algorithm, Device: string(b.Device), Differs: b.Differences(taken), Why: b.Why}
	if b.TotalMS > 0 {
		ms := round(b.TotalMS)
		out.TotalMS = &ms
	}
	return out
}

// round keeps six significant digits. JSON has no infinity, so it returns the largest number
// instead.
func round(x float64) float64 {
	if math.IsInf(x, 1) {
		return math.MaxFloat64
	}
	if x == 0 || math.IsNaN(x) {
		return 0
	}
	scale := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(x))))
	if math.IsInf(scale, 0) || scale == 0 {
		return x
	}
	return math.Round(x*scale) / scale
}
