package types

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestCivilDate checks every day of five thousand years before 1970 and eleven thousand years
// after.
func TestCivilDate(t *testing.T) {
	at := time.Unix(-5000*366*86400, 0).UTC()
	for days := int64(-5000 * 366); days < 11_000*366; days++ {
		y, m, d := CivilDate(days)
		wy, wm, wd := at.Date()
		if y != wy || m != int(wm) || d != wd {
			t.Fatalf("day %d is %d-%d-%d, want %d-%d-%d", days, y, m, d, wy, wm, wd)
		}
		if got := Days(y, m, d); got != days {
			t.Fatalf("%d-%d-%d is day %d, want %d", y, m, d, got, days)
		}
		at = at.AddDate(0, 0, 1)
	}
}

// TestDaysFarAway compares days outside a month's range, and distant dates, with package time.
func TestDaysFarAway(t *testing.T) {
	for _, c := range [][3]int{{2024, 2, 30}, {2024, 0, 1}, {2023, 13, 31}, {2024, 3, 0}, {2024, 1, -400}, {-40_000, 5, 5}, {40_000, 1, 1}, {2024, 12, 500}, {-32_799, 1, 1}, {32_800, 12, 31}} {
		want := time.Date(c[0], time.Month(c[1]), c[2], 0, 0, 0, 0, time.UTC)
		days := Days(c[0], c[1], c[2])
		if days*86400 != want.Unix() {
			t.Errorf("%v is day %d, want %d", c, days, want.Unix()/86400)
		}
		y, m, d := CivilDate(days)
		if wy, wm, wd := want.Date(); y != wy || m != int(wm) || d != wd {
			t.Errorf("day %d is %d-%d-%d, want %v", days, y, m, d, want)
		}
	}
}

// TestDateOf compares the day with a division that rounds down, for all 64-bit values and around
// midnight.
func TestDateOf(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	check := func(us int64) {
		if got, want := DateOf(us), floorDiv(us, Day); got != want {
			t.Fatalf("%d is of day %d, want %d", us, got, want)
		}
	}
	for _, us := range []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64} {
		check(us)
	}
	for range 100_000 {
		check(int64(r.Uint64()) >> r.IntN(64))
		midnight := (r.Int64N(200_000_000) - 100_000_000) * Day
		check(midnight - 1)
		check(midnight)
		check(midnight + 1)
	}
}
