package kernel

// Wide is a signed 65-bit integer: the bits of a uint64 below a sign.
type Wide struct {
	Neg bool   // below zero
	Mag uint64 // the magnitude
}

// Widen converts a signed or unsigned 64-bit integer.
func Widen(x int64, unsigned bool) Wide {
	if unsigned || x >= 0 {
		return Wide{Mag: uint64(x)}
	}
	return Wide{Neg: true, Mag: -uint64(x)}
}
