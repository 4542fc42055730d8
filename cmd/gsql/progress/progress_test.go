package progress

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gsql"
)

// screen is a writer that several goroutines may use.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

var percent = regexp.MustCompile(`(\d+)%`)

// TestShown shows states one after the other and checks the percentages, the time that is left, and that nothing is
// left on the screen.
func TestShown(t *testing.T) {
	const mb = 1 << 20
	for name, c := range map[string]struct {
		opt    Options
		states []gsql.Progress
		want   []int
		says   string
	}{
		"a query": {Options{}, []gsql.Progress{{}, {Done: 0.25}, {Done: 0.5}, {Done: 0.4}, {Done: 0.75, Spilled: 700 * mb}, {Done: 1}}, []int{25, 50, 50, 75, 99}, "700 MB spilled"},
		"a load": {Options{Commits: true}, []gsql.Progress{{Done: 0.5}, {Done: 1}, {Done: 1, Written: 0, ToWrite: 10 * mb}, {Done: 1, Written: 5 * mb, ToWrite: 10 * mb}, {Done: 1, Written: 10 * mb, ToWrite: 10 * mb}},
			[]int{30, 60, 60, 80, 99}, "writing, 5 of 10 MB"},
		"a commit": {Options{Commits: true}, []gsql.Progress{{Written: 1 * mb, ToWrite: 4 * mb}, {Written: 2 * mb, ToWrite: 4 * mb}}, []int{25, 50}, "writing, 2 of 4 MB"},
		"parts":    {Options{Parts: true}, []gsql.Progress{{Done: 0.9}, {Done: 0.1, RowsRead: 12345}}, nil, "12345"},
	} {
		out := &screen{}
		d := &Display{out: out, opt: c.opt, started: time.Now()}
		for i, p := range c.states {
			from := len(out.String())
			d.show(p, time.Duration(i+1)*4*time.Second)
			time.Sleep(2 * time.Millisecond)
			_ = d.bar.RenderBlank()
			shown := percent.FindAllStringSubmatch(out.String()[from:], -1)
			k := i - (len(c.states) - len(c.want))
			if k < 0 {
				continue
			}
			if len(shown) == 0 || shown[len(shown)-1][1] != strconv.Itoa(c.want[k]) {
				t.Errorf("%s, state %d: %q, want %d%%", name, i, out.String()[from:], c.want[k])
			}
		}
		if !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: no %q in %q", name, c.says, out.String())
		}
	}
}

// TestLeft runs statements whose work is done at changing rates on an artificial clock, ten steps a second. At each step, the time
// that is said to be left is at least what remains at the mean rate of the last four seconds, and nothing is said where they
// have done nothing or where all of the estimated work is done.
func TestLeft(t *testing.T) {
	const step = 100 * time.Millisecond
	for name, c := range map[string]struct {
		rates []float64 // in the seconds 1, 2, ...: shares a second
		says  map[int]string
	}{
		"steady":        {[]float64{0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05}, map[int]string{6: "about 15 s left", 9: "about 15 s left"}},
		"slow at last":  {[]float64{0.3, 0.3, 0.3, 0.008, 0.008, 0.008, 0.008, 0.008, 0.008, 0.008, 0.0011, 0.0011, 0.0011, 0.0011}, map[int]string{3: "about 1 s left", 8: "about 8 s left", 14: "about 40 s left"}},
		"stalls":        {[]float64{0.3, 0.3, 0.3, 0, 0, 0, 0, 0, 0.02, 0}, map[int]string{6: "about 2 s left", 7: "Ctrl", 9: "about 20 s left"}},
		"ends too late": {[]float64{0.5, 0.6, 0, 0}, map[int]string{2: "Ctrl", 4: "Ctrl"}},
		"too little":    {[]float64{0.01}, map[int]string{1: "Ctrl"}},
		"faster":        {[]float64{0.02, 0.02, 0.02, 0.02, 0.1, 0.1, 0.1, 0.1}, map[int]string{4: "about 50 s left", 8: "about 9 s left"}},
	} {
		var p pace
		shares := []float64{0}
		for i := range len(c.rates) * 10 {
			n := len(shares)
			shares = append(shares, min(shares[n-1]+c.rates[i/10]/10, most))
			left, known := p.left(shares[n], time.Duration(n)*step)
			if known && n > 40 {
				if rate := (shares[n] - shares[n-40]) / 4; left.Seconds() < (1-shares[n])/rate-1e-6 {
					t.Errorf("%s, step %d: %v left at %v, which needs %v s", name, n, left, shares[n], (1-shares[n])/rate)
				}
			}
			if want, ok := c.says[n/10]; ok && n%10 == 0 {
				if got := describe(gsql.Progress{}, left, known); !strings.HasPrefix(got, want) {
					t.Errorf("%s, second %d, at %v: %q, want %q", name, n/10, shares[n], got, want)
				}
			}
		}
	}
}

// TestStop checks that a short statement shows nothing, and that a display is removed before a result is written.
func TestStop(t *testing.T) {
	out := &screen{}
	state := func() gsql.Progress { return gsql.Progress{Done: 0.5} }
	d := Start(out, Options{After: time.Hour, Every: time.Hour, State: state})
	d.Stop()
	d.Stop()
	if out.String() != "" {
		t.Errorf("%q was shown", out.String())
	}
	d = Start(out, Options{After: time.Millisecond, Every: time.Millisecond, State: state})
	for deadline := time.Now().Add(time.Minute); !strings.Contains(out.String(), "50%"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("nothing was shown: %q", out.String())
		}
	}
	if _, err := d.Before(out).Write([]byte("RESULT")); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if last := text[strings.LastIndex(text, "%"):]; !strings.HasSuffix(last, "RESULT") || !strings.Contains(last, "\x1b[2K\r") && !strings.Contains(last, "\r\x1b[K") {
		t.Errorf("the display is not removed: %q", last)
	}
	var none *Display
	none.Stop()
}
