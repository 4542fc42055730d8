package text

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

func registerSet() {
	kernel.Register(
		kernel.Def{Name: "make_set", Bind: kernel.Fn(makeSet)},
		kernel.Def{Name: "export_set", Bind: bindExportSet},
		kernel.Def{Name: "get_format", Bind: kernel.Fn(kernel.TryBinary(getFormat)), Total: kernel.Always},
		kernel.Def{Name: "format_bytes", Bind: kernel.Fn(kernel.TryUnary(formatBytes)), Total: kernel.Always},
		kernel.Def{Name: "format_pico_time", Bind: kernel.Fn(kernel.TryUnary(formatPicoTime)), Total: kernel.Always},
		kernel.Def{Name: "current_role", Bind: kernel.Fn(noRole), Total: kernel.Always},
	)
}

// makeSet lists the strings whose bits are set in the first argument. It omits NULLs.
func makeSet(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	for i := range out.Str {
		if kernel.NullAt(args[0], i) {
			out.SetNull(i)
			continue
		}
		set := uint64(args[0].I64[i&kernel.Mask(args[0])])
		members := func(yield func(string)) {
			for k, a := range args[1:min(len(args), 65)] {
				if set>>k&1 != 0 && !kernel.NullAt(a, i) {
					yield(a.Str[i&kernel.Mask(a)])
				}
			}
		}
		n := 0
		members(func(s string) { n += len(s) + 1 })
		b, long, err := rt.Allot(max(n-1, 0))
		if err != nil {
			return err
		}
		if long {
			out.SetNull(i)
			continue
		}
		members(func(s string) {
			if len(b) > 0 {
				b = append(b, ',')
			}
			b = append(b, s...)
		})
		out.Str[i] = rt.Keep(b)
	}
	return nil
}

// bindExportSet binds EXPORT_SET(bits, on, off[, separator[, number]]).
func bindExportSet(*expr.Call) (kernel.Kernel, error) {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		text := func(k, i int, otherwise string) string {
			if k >= len(args) {
				return otherwise
			}
			return args[k].Str[i&kernel.Mask(args[k])]
		}
		for i := range out.Str {
			if rt.IsNull(out, i) {
				continue
			}
			set, n := uint64(args[0].I64[i&kernel.Mask(args[0])]), int64(64)
			if len(args) > 4 {
				if x := args[4].I64[i&kernel.Mask(args[4])]; x >= 0 && x < 64 {
					n = x
				}
			}
			separator, on, off := text(3, i, ","), text(1, i, ""), text(2, i, "")
			ons := bits.OnesCount64(set & (1<<n - 1))
			b, long, err := rt.Allot(ons*len(on) + (int(n)-ons)*len(off) + max(int(n)-1, 0)*len(separator))
			if err != nil {
				return err
			}
			if long {
				out.SetNull(i)
				continue
			}
			for k := range n {
				if k > 0 {
					b = append(b, separator...)
				}
				if set>>k&1 == 1 {
					b = append(b, on...)
				} else {
					b = append(b, off...)
				}
			}
			out.Str[i] = rt.Keep(b)
		}
		return nil
	}, nil
}

// formats holds the results of GET_FORMAT for DATE, DATETIME and TIME.
var formats = map[string][3]string{
	"usa":      {"%m.%d.%Y", "%Y-%m-%d %H.%i.%s", "%h:%i:%s %p"},
	"jis":      {"%Y-%m-%d", "%Y-%m-%d %H:%i:%s", "%H:%i:%s"},
	"iso":      {"%Y-%m-%d", "%Y-%m-%d %H:%i:%s", "%H:%i:%s"},
	"eur":      {"%d.%m.%Y", "%Y-%m-%d %H.%i.%s", "%H.%i.%s"},
	"internal": {"%Y%m%d", "%Y%m%d%H%i%s", "%H%i%s"},
}

func getFormat(_ *kernel.Runtime, kind, standard string) (string, bool, error) {
	f, ok := formats[strings.ToLower(standard)]
	at := map[string]int{"DATE": 0, "DATETIME": 1, "TIMESTAMP": 1, "TIME": 2}[kind]
	return f[at], ok, nil
}

// scaled formats x in the largest unit that it reaches; in units[0] as a whole number.
func scaled(x float64, factors []float64, units []string) string {
	k := 0
	for k+1 < len(units) && math.Abs(x) >= factors[k+1] {
		k++
	}
	if k == 0 {
		return fmt.Sprintf("%4.0f %s", x, units[0])
	}
	if x /= factors[k]; math.Abs(x) >= 100000 {
		return fmt.Sprintf("%.2e %s", x, units[k])
	}
	return fmt.Sprintf("%.2f %s", x, units[k])
}

func formatBytes(_ *kernel.Runtime, x float64) (string, bool, error) {
	return scaled(x, []float64{1, 1 << 10, 1 << 20, 1 << 30, 1 << 40, 1 << 50, 1 << 60}, []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}), true, nil
}

func formatPicoTime(_ *kernel.Runtime, x float64) (string, bool, error) {
	if math.Abs(x) < 1000 {
		return fmt.Sprintf("%3.0f ps", x), true, nil
	}
	return scaled(x, []float64{1, 1e3, 1e6, 1e9, 1e12, 60e12, 3600e12, 86400e12}, []string{"ps", "ns", "us", "ms", "s", "min", "h", "d"}), true, nil
}

// noRole implements CURRENT_ROLE: there are no roles.
func noRole(_ *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
	for i := range out.Str {
		out.Str[i] = "NONE"
	}
	return nil
}
