package parquet

import "github.com/apache/arrow/go/v17/parquet"

// logicalKind is the meaning of a column's values according to its annotation.
type logicalKind uint8

const (
	logicalNone logicalKind = iota // or an unknown annotation
	logicalText
	logicalMap
	logicalList
	logicalDecimal
	logicalDate
	logicalTime
	logicalTimestamp
	logicalInteger
	logicalNull
	logicalJSON
	logicalUUID
	logicalHalf
	logicalInterval
	logicalVariant
)

// logicalType is an annotation.
type logicalType struct {
	kind        logicalKind
	unit        timeUnit
	utc         bool // times are points in time, in UTC
	bits        int  // of integers
	signed      bool
	prec, scale int64 // of decimals
}

// timeUnit is the unit of times.
type timeUnit uint8

const (
	unknownUnit timeUnit = iota
	millis
	micros
	nanos
)

// logicalKinds maps field ids in the union of annotations to their meaning.
var logicalKinds = map[int]logicalKind{1: logicalText, 2: logicalMap, 3: logicalList, 4: logicalText, 5: logicalDecimal, 6: logicalDate,
	7: logicalTime, 8: logicalTimestamp, 10: logicalInteger, 11: logicalNull, 12: logicalJSON, 14: logicalUUID, 15: logicalHalf, 16: logicalVariant}

// convertedTypes maps the numbers of older writers' annotations to their meaning. The precision
// and scale of decimals are stored elsewhere.
var convertedTypes = map[int64]logicalType{
	0: {kind: logicalText}, 1: {kind: logicalMap}, 2: {kind: logicalMap}, 3: {kind: logicalList}, 4: {kind: logicalText},
	5: {kind: logicalDecimal}, 6: {kind: logicalDate},
	7: {kind: logicalTime, unit: millis}, 8: {kind: logicalTime, unit: micros},
	9: {kind: logicalTimestamp, unit: millis}, 10: {kind: logicalTimestamp, unit: micros},
	11: {kind: logicalInteger, bits: 8}, 12: {kind: logicalInteger, bits: 16}, 13: {kind: logicalInteger, bits: 32}, 14: {kind: logicalInteger, bits: 64},
	15: {kind: logicalInteger, bits: 8, signed: true}, 16: {kind: logicalInteger, bits: 16, signed: true},
	17: {kind: logicalInteger, bits: 32, signed: true}, 18: {kind: logicalInteger, bits: 64, signed: true},
	19: {kind: logicalJSON}, 21: {kind: logicalInterval},
}

// readLogical reads the union of annotations.
func readLogical(r *thriftReader, typ byte) (l logicalType) {
	r.structure(typ, func(id int, typ byte) {
		l.kind = logicalKinds[id]
		r.structure(typ, func(id int, typ byte) { l.readParameter(r, id, typ) })
	})
	return l
}

func (l *logicalType) readParameter(r *thriftReader, id int, typ byte) {
	switch {
	case l.kind == logicalDecimal && id == 1:
		l.scale = r.number(typ)
	case l.kind == logicalDecimal && id == 2:
		l.prec = r.number(typ)
	case (l.kind == logicalTime || l.kind == logicalTimestamp) && id == 1:
		l.utc = typ == thriftTrue
	case (l.kind == logicalTime || l.kind == logicalTimestamp) && id == 2:
		r.structure(typ, func(id int, typ byte) {
			if id >= int(unknownUnit) && id <= int(nanos) {
				l.unit = timeUnit(id)
			}
			r.skip(typ, 0)
		})
	case l.kind == logicalInteger && id == 1:
		l.bits = int(r.number(typ))
	case l.kind == logicalInteger && id == 2:
		l.signed = typ == thriftTrue
	default:
		r.skip(typ, 0)
	}
}

// schemaElement is a node of the schema in the footer's list, in which a node precedes its
// children.
type schemaElement struct {
	name       string
	physical   parquet.Type // -1 for groups
	width      int64
	repetition parquet.Repetition
	children   int64
	converted  logicalType
	logical    logicalType
	prec       int64
	scale      int64
}

func (e *schemaElement) read(r *thriftReader, id int, typ byte) {
	switch id {
	case 1:
		e.physical = parquet.Type(r.number(typ))
	case 2:
		e.width = r.number(typ)
	case 3:
		e.repetition = parquet.Repetition(r.number(typ))
	case 4:
		e.name = string(r.text(typ))
	case 5:
		e.children = r.number(typ)
	case 6:
		e.converted = convertedTypes[r.number(typ)]
	case 7:
		e.scale = r.number(typ)
	case 8:
		e.prec = r.number(typ)
	case 10:
		e.logical = readLogical(r, typ)
	default:
		r.skip(typ, 0)
	}
}

// annotation returns the newer of the two annotations if both are present.
func (e *schemaElement) annotation() logicalType {
	if e.logical.kind != logicalNone {
		return e.logical
	}
	l := e.converted
	if l.kind == logicalDecimal {
		l.prec, l.scale = e.prec, e.scale
	}
	return l
}
