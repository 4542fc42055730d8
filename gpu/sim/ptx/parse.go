package ptx

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Module holds the kernels of one text.
type Module struct {
	kernels map[string]*kernel
}

// Entries returns the names of the kernels, in no particular order.
func (m *Module) Entries() (names []string) {
	for name := range m.kernels {
		names = append(names, name)
	}
	return names
}

// kernel is one entry.
type kernel struct {
	memory  bool // the text declares the block's memory
	threads int  // maximum of a block
	params  []string
	classes []byte         // of registers: p, r, d or f
	names   map[string]int // registers
	code    []instruction
	labels  map[string]int
}

// instruction is one step of a kernel. run executes it for the lanes of a mask.
type instruction struct {
	text   string
	guard  int // register of the predicate, or -1
	unless bool
	target string // of a branch
	op     string
	run    func(w *warp, mask uint32) error
}

var (
	moduleHead   = regexp.MustCompile(`^\.version [678]\.\d\s+\.target sm_\d+\s+\.address_size 64\s*(\.extern \.shared \.align 16 \.b8 block_memory\[\];)?$`)
	entryHead    = regexp.MustCompile(`(?s)\.visible \.entry (\w+)\(([^)]*)\)(?:\s*\.maxntid (\d+), 1, 1)?\s*\{(.*?)\n\}`)
	paramName    = regexp.MustCompile(`^\s*\.param \.u64 (\w+)\s*$`)
	comment      = regexp.MustCompile(`//[^\n]*`)
	labelLine    = regexp.MustCompile(`^(\w+):\s*`)
	guarded      = regexp.MustCompile(`^@(!?)(%\w+)\s+`)
	registers    = regexp.MustCompile(`^\.reg \.(\w+) (.*)$`)
	registerName = regexp.MustCompile(`^%\w+$`)
	ranged       = regexp.MustCompile(`^%(\w+)<(\d+)>$`)
)

// Parse parses the kernels of a text.
func Parse(text string) (*Module, error) {
	m := &Module{kernels: map[string]*kernel{}}
	text = comment.ReplaceAllString(text, "")
	if outside := strings.TrimSpace(entryHead.ReplaceAllString(text, "")); !moduleHead.MatchString(outside) {
		return nil, fmt.Errorf("unexpected outside of kernels: %.200q", outside)
	}
	for _, e := range entryHead.FindAllStringSubmatch(text, -1) {
		k := &kernel{names: map[string]int{}, labels: map[string]int{}, memory: strings.Contains(text, memoryDeclaration), threads: mostThreads}
		if m.kernels[e[1]] != nil {
			return nil, fmt.Errorf("kernel %s is there twice", e[1])
		}
		if err := k.parameters(e[2]); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", e[1], err)
		}
		if e[3] != "" {
			n, err := strconv.Atoi(e[3])
			if err != nil || n < 1 || n > mostThreads {
				return nil, fmt.Errorf("kernel %s: .maxntid %s", e[1], e[3])
			}
			k.threads = n
		}
		if err := k.parse(e[4]); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", e[1], err)
		}
		m.kernels[e[1]] = k
	}
	if len(m.kernels) == 0 {
		return nil, fmt.Errorf("the text has no kernel")
	}
	return m, nil
}

// mostThreads is the maximum number of threads of a block.
const mostThreads = 1024

// memoryDeclaration declares the block's memory.
const memoryDeclaration = "block_memory[];"

// parameters parses the declarations of parameters.
func (k *kernel) parameters(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for declaration := range strings.SplitSeq(text, ",") {
		found := paramName.FindStringSubmatch(declaration)
		if found == nil || slices.Contains(k.params, found[1]) {
			return fmt.Errorf("parameter %q", declaration)
		}
		k.params = append(k.params, found[1])
	}
	return nil
}

func (k *kernel) parse(body string) error {
	for _, line := range strings.FieldsFunc(strings.ReplaceAll(body, ":\n", ":;\n"), func(r rune) bool { return r == ';' }) {
		line = strings.TrimSpace(line)
		if found := labelLine.FindStringSubmatch(line); found != nil {
			if _, twice := k.labels[found[1]]; twice {
				return fmt.Errorf("label %s is there twice", found[1])
			}
			k.labels[found[1]] = len(k.code)
			line = line[len(found[0]):]
		}
		var err error
		switch found := registers.FindStringSubmatch(line); {
		case line == "":
		case found != nil:
			err = k.declare(found[1], found[2])
		default:
			err = k.add(line)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	if n := len(k.code); n == 0 || k.code[n-1].guard >= 0 || k.code[n-1].op != "ret" && k.code[n-1].op != "bra" {
		return fmt.Errorf("the code goes on after its end")
	}
	for label, at := range k.labels {
		if at == len(k.code) {
			return fmt.Errorf("no instruction follows label %s", label)
		}
	}
	for i := range k.code {
		if t := k.code[i].target; t != "" {
			if _, ok := k.labels[t]; !ok {
				return fmt.Errorf("no label %s", t)
			}
		}
	}
	return nil
}

// mostRegisters is the maximum number of registers that one declaration adds.
const mostRegisters = 1 << 16

// declare adds registers: a range, or a list of names.
func (k *kernel) declare(typ, names string) error {
	class, ok := map[string]byte{"pred": 'p', "b32": 'r', "b64": 'd', "f64": 'f'}[typ]
	if !ok {
		return fmt.Errorf("registers of type %s", typ)
	}
	for _, name := range strings.Split(names, ",") {
		name = strings.TrimSpace(name)
		found := ranged.FindStringSubmatch(name)
		if found == nil {
			if err := k.register(name, class); err != nil {
				return err
			}
			continue
		}
		n, err := strconv.Atoi(found[2])
		if err != nil || n > mostRegisters {
			return fmt.Errorf("%s registers", found[2])
		}
		for i := range n {
			if err := k.register(fmt.Sprintf("%%%s%d", found[1], i), class); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k *kernel) register(name string, class byte) error {
	if _, twice := k.names[name]; twice || specials[name] != nil || !registerName.MatchString(name) {
		return fmt.Errorf("register %q is not new", name)
	}
	k.names[name] = len(k.classes)
	k.classes = append(k.classes, class)
	return nil
}

// add adds an instruction.
func (k *kernel) add(line string) error {
	i := instruction{text: line, guard: -1}
	if found := guarded.FindStringSubmatch(line); found != nil {
		r, err := k.find(found[2], 'p')
		if err != nil {
			return err
		}
		i.guard, i.unless, line = r, found[1] == "!", line[len(found[0]):]
	}
	op, rest, _ := strings.Cut(line, " ")
	i.op = op
	args := split(rest)
	if err := checkForm(op, args); err != nil {
		return err
	}
	if op == "bra" {
		i.target = args[0]
	} else if err := k.compile(&i, strings.Split(op, "."), args); err != nil {
		return err
	}
	k.code = append(k.code, i)
	return nil
}

// split separates operands at commas outside braces.
func split(text string) (out []string) {
	depth, from := 0, 0
	for i, r := range text + "," {
		switch r {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				if s := strings.TrimSpace(text[from:min(i, len(text))]); s != "" {
					out = append(out, s)
				}
				from = i + 1
			}
		}
	}
	return out
}

// find returns the number of a register, which must be of one of the classes.
func (k *kernel) find(name string, classes ...byte) (int, error) {
	r, ok := k.names[name]
	if !ok {
		return 0, fmt.Errorf("register %s is not declared", name)
	}
	for _, c := range classes {
		if k.classes[r] == c {
			return r, nil
		}
	}
	return 0, fmt.Errorf("register %s has another type", name)
}

// operand is a register or a constant.
type operand struct {
	register int // -1 for a constant
	value    uint64
	special  func(w *warp, lane int) uint64
}

// operand parses an operand of a type.
func (k *kernel) operand(text, typ string) (operand, error) {
	if s := specials[text]; s != nil {
		return operand{register: -1, special: s}, nil
	}
	if strings.HasPrefix(text, "%") {
		r, err := k.find(text, classesOf(typ)...)
		return operand{register: r}, err
	}
	if text == "block_memory" {
		if !k.memory || typ != "u32" {
			return operand{}, fmt.Errorf("block_memory is not declared, or no address of 32 bits")
		}
		return operand{register: -1}, nil
	}
	value, err := literal(text, typ)
	return operand{register: -1, value: value}, err
}

// literal parses a constant of a type. Doubles are written as their bits.
func literal(text, typ string) (uint64, error) {
	if digits, ok := strings.CutPrefix(text, "0d"); ok != (typ == "f64") || ok && len(digits) != 16 {
		return 0, fmt.Errorf("%s is not a constant of type %s", text, typ)
	} else if ok {
		return strconv.ParseUint(digits, 16, 64)
	}
	if digits := strings.TrimPrefix(text, "-"); len(digits) > 1 && digits[0] == '0' {
		return 0, fmt.Errorf("%s is not a decimal number", text)
	}
	u, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, err
		}
		u = uint64(v)
	}
	bits := 8 * width(typ)
	if typ == "pred" {
		bits = 1
	}
	if least := -int64(1) << (bits - 1); bits < 64 && u>>bits != 0 && (text[0] != '-' || int64(u) < least) {
		return 0, fmt.Errorf("%s has more than %d bits", text, bits)
	}
	return u << (64 - bits) >> (64 - bits), nil
}

// classesOf returns the register classes of operands of a type.
func classesOf(typ string) []byte {
	switch {
	case typ == "pred":
		return []byte{'p'}
	case typ == "f64":
		return []byte{'f'}
	case typ == "b64":
		return []byte{'d', 'f'}
	case width(typ) == 8:
		return []byte{'d'}
	}
	return []byte{'r'}
}

// width returns the bytes of a type.
func width(typ string) int {
	switch typ {
	case "u8", "b8":
		return 1
	case "u16", "b16":
		return 2
	case "u32", "s32", "b32":
		return 4
	}
	return 8
}

// narrow truncates a value to the width of its type.
func narrow(v uint64, typ string) uint64 {
	if n := width(typ); n < 8 {
		return v & (1<<(8*n) - 1)
	}
	return v
}

var specials = map[string]func(w *warp, lane int) uint64{
	"%tid.x":       func(w *warp, lane int) uint64 { return uint64(w.first + lane) },
	"%ctaid.x":     func(w *warp, _ int) uint64 { return uint64(w.block.number) },
	"%nctaid.x":    func(w *warp, _ int) uint64 { return uint64(w.block.launch.Blocks) },
	"%laneid":      func(_ *warp, lane int) uint64 { return uint64(lane) },
	"%lanemask_lt": func(_ *warp, lane int) uint64 { return 1<<lane - 1 },
}
