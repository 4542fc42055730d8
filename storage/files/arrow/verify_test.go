package arrow

import (
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"
)

// TestSchemasThatFoldUp verifies schemas whose fields share children many times: each of n levels
// has two fields that refer to the same fields of the next level.
func TestSchemasThatFoldUp(t *testing.T) {
	for _, levels := range []int{2, 40, 200} {
		b := flatbuffers.NewBuilder(0)
		children := func(of flatbuffers.UOffsetT) flatbuffers.UOffsetT {
			b.StartVector(4, 2, 4)
			b.PrependUOffsetT(of)
			b.PrependUOffsetT(of)
			return b.EndVector(2)
		}
		at := flatbuffers.UOffsetT(0)
		for range levels {
			var kids flatbuffers.UOffsetT
			if at != 0 {
				kids = children(at)
			}
			b.StartObject(7)
			b.PrependUOffsetTSlot(5, kids, 0)
			at = b.EndObject()
		}
		fields := children(at)
		b.StartObject(4)
		b.PrependUOffsetTSlot(1, fields, 0)
		schema := b.EndObject()
		b.StartObject(5)
		b.PrependByteSlot(1, schemaMessage, 0)
		b.PrependUOffsetTSlot(2, schema, 0)
		b.PrependInt64Slot(3, 24, 0)
		b.Finish(b.EndObject())
		_, body, err := verifyMessage(b.FinishedBytes(), new(viewCounts))
		if good := levels == 2; (err == nil) != good || good && body != 24 {
			t.Errorf("%d levels: a body of %d bytes, %v", levels, body, err)
		}
	}
}
