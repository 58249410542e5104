package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WireStructTest {
  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer().omittingInsignificantWhitespace();

  @Test
  void itsTextIsProtobufs() throws Exception {
    for (int seed = 0; seed < 300; seed++) {
      Struct struct = struct(new Random(seed), 4);

      assertThat(WireStruct.parse(struct.toByteString()).json()).isEqualTo(PRINTER.print(struct));
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
  void whatJsonCannotSayHasNoText() throws Exception {
    assertThat(of(Value.newBuilder().setNumberValue(Double.NaN)).json()).isEmpty();
    assertThat(of(Value.newBuilder().setNumberValue(Double.NEGATIVE_INFINITY)).json()).isEmpty();
    assertThat(of(Value.newBuilder()).json()).isEmpty();
  }

  @Test
  void ofSeveralKindsTheLastCounts() throws Exception {
    ByteString value =
        Value.newBuilder()
            .setNumberValue(1)
            .build()
            .toByteString()
            .concat(Value.newBuilder().setStringValue("x").build().toByteString());

    assertThat(WireStruct.parse(entry(value)).text("k")).isEqualTo("x");
  }

  @Test
  void textsAreTextsOnly() throws Exception {
    assertThat(of(Value.newBuilder().setStringValue("x")).text("k")).isEqualTo("x");
    assertThat(of(Value.newBuilder().setStringValue("x")).text("other")).isEmpty();
    assertThat(of(Value.newBuilder().setNumberValue(1)).text("k")).isEmpty();
  }

  /** As with protobuf, a message that is nested without end costs an error, not the stack. */
  @Test
  void itIsNotReadToAnyDepth() throws Exception {
    assertThat(WireStruct.parse(nested(20)).json()).startsWith("{\"k\":{");
    assertThatThrownBy(() -> WireStruct.parse(nested(5000)))
        .isInstanceOf(InvalidProtocolBufferException.class);
  }

  private static ByteString nested(int depth) {
    ByteString struct = ByteString.EMPTY;
    for (int i = 0; i < depth; i++) {
      struct = entry(field(Value.STRUCT_VALUE_FIELD_NUMBER, struct));
    }
    return struct;
  }

  @Test
  void whatIsNotReadableIsAnError() {
    for (String bytes :
        new String[] {"\n", "\n\u0005\n\u0001k\u0012\u0009", "\n\u0003\n\u0001\u00ff"}) {
      ByteString broken = ByteString.copyFrom(bytes, StandardCharsets.ISO_8859_1);
      assertThatThrownBy(() -> WireStruct.parse(broken))
          .isInstanceOf(InvalidProtocolBufferException.class);
    }
  }

  private static WireStruct of(Value.Builder value) throws InvalidProtocolBufferException {
    return WireStruct.parse(
        Struct.newBuilder().putFields("k", value.build()).build().toByteString());
  }

  /** A struct whose field {@code k} has the value. */
  private static ByteString entry(ByteString value) {
    return field(1, field(1, ByteString.copyFromUtf8("k")).concat(field(2, value)));
  }

  private static ByteString field(int number, ByteString content) {
    return UnknownFieldSet.newBuilder()
        .addField(number, UnknownFieldSet.Field.newBuilder().addLengthDelimited(content).build())
        .build()
        .toByteString();
  }
}
