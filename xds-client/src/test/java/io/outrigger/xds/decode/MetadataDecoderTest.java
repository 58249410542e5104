package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MetadataDecoderTest {
  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer().omittingInsignificantWhitespace();

  @Test
  void itsTextIsProtobufs() throws Exception {
    for (int seed = 0; seed < 300; seed++) {
      Struct struct = struct(new Random(seed), 4);

      assertThat(MetadataDecoder.json(struct)).isEqualTo(PRINTER.print(struct));
    }
  }

  private static Struct struct(Random random, int depth) {
    var struct = Struct.newBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      struct.putFields("<k>ä" + random.nextInt(9), value(random, depth - 1));
    }
    return struct.build();
  }

  private static Value value(Random random, int depth) {
    var value = Value.newBuilder();
    switch (random.nextInt(depth > 0 ? 6 : 4)) {
      case 0 -> value.setStringValue("a\"\\\n</b>'=&" + random.nextInt());
      case 1 ->
          value.setNumberValue(random.nextBoolean() ? random.nextInt(9) : random.nextDouble());
      case 2 -> value.setBoolValue(random.nextBoolean());
      case 3 -> value.setNullValue(NullValue.NULL_VALUE);
      case 4 -> value.setStructValue(struct(random, depth));
      default -> {
        var list = ListValue.newBuilder();
        for (int i = random.nextInt(3); i > 0; i--) {
          list.addValues(value(random, depth - 1));
        }
        value.setListValue(list);
      }
    }
    return value.build();
  }

  @Test
  void whatJsonCannotSayHasNoText() {
    assertThat(text(Value.newBuilder().setNumberValue(Double.NaN))).isEmpty();
    assertThat(text(Value.newBuilder().setNumberValue(Double.NEGATIVE_INFINITY))).isEmpty();
    assertThat(text(Value.newBuilder())).isEmpty();
  }

  private static String text(Value.Builder value) {
    return MetadataDecoder.json(Struct.newBuilder().putFields("k", value.build()).build());
  }
}
