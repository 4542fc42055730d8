package kernel

// Wide is a signed 65-bit integer: the bits of a uint64 below a sign.
type Wide struct {
	Neg bool   // below zero
	Mag uint64 // the magnitude
}

// Widen returns an integer of 64 bits, whose highest bit is a sign or not.
func Widen(x int64, unsigned bool) Wide {
	if unsigned || x >= 0 {
		return Wide{Mag: uint64(x)}
	}
	return Wide{Neg: true, Mag: -uint64(x)}
}
