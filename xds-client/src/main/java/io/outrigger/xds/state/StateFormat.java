package io.outrigger.xds.state;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.outrigger.base.Xxh64;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.state.StateFolder.KeptResource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * The content of state files: protobuf without generated classes, which would cost memory.
 *
 * <pre>
 * index = "outrigger-state 3\n" fields XXH64 of all bytes before it
 *         1 node, 2 servers, 3 fingerprint, 5 name of a part (repeated),
 *         6 name of an authority and 4 the time in milliseconds (repeated, in pairs)
 * part  = 1 resource (repeated); the name of the file is the XXH64 of its bytes
 *         1 scope, 2 type, 3 name, 4 server, 5 version, 6 time in milliseconds, 7 type URL, 8 bytes
 * </pre>
 */
final class StateFormat {
  private static final String FAMILY = "outrigger-state ";
  private static final byte[] MAGIC = (FAMILY + "3\n").getBytes(StandardCharsets.US_ASCII);

  private StateFormat() {}

  record Index(StateOrigin origin, Map<String, Instant> times, List<String> parts) {
    Instant newest() {
      return times.values().stream().max(Comparator.naturalOrder()).orElse(Instant.EPOCH);
    }
  }

  static final class Damaged extends IOException {
    private static final long serialVersionUID = 1;

    Damaged(String message) {
      super(message);
    }
  }

  static byte[] write(Index index) {
    var fields = UnknownFieldSet.newBuilder();
    add(fields, 1, index.origin().node());
    add(fields, 2, index.origin().servers());
    add(fields, 3, index.origin().fingerprint());
    index
        .times()
        .forEach(
            (authority, time) -> {
              add(fields, 6, authority);
              add(fields, 4, time);
            });
    index.parts().forEach(part -> add(fields, 5, part));
    byte[] message = fields.build().toByteArray();
    int end = MAGIC.length + message.length;
    ByteBuffer file = ByteBuffer.allocate(end + Long.BYTES).put(MAGIC).put(message);
    return file.putLong(Xxh64.hash(file.array(), end)).array();
  }

  static Index readIndex(byte[] file) throws IOException {
    int end = file.length - Long.BYTES;
    if (!Arrays.equals(file, 0, Math.min(MAGIC.length, file.length), MAGIC, 0, MAGIC.length)) {
      boolean isOurs = new String(file, StandardCharsets.ISO_8859_1).startsWith(FAMILY);
      throw new Damaged(
          isOurs
              ? "is in the format of another version of this program"
              : "is damaged: it does not begin as a state does");
    }
    if (end < MAGIC.length || ByteBuffer.wrap(file).getLong(end) != Xxh64.hash(file, end)) {
      throw new Damaged("is damaged: its checksum is wrong");
    }
    var message = ByteString.copyFrom(file, MAGIC.length, end - MAGIC.length);
    UnknownFieldSet fields = UnknownFieldSet.parseFrom(message);
    List<String> authorities = texts(fields, 6);
    List<Long> millis = fields.getField(4).getVarintList();
    Map<String, Instant> times = new HashMap<>();
    for (int i = 0; i < Math.min(authorities.size(), millis.size()); i++) {
      times.put(authorities.get(i), Instant.ofEpochMilli(millis.get(i)));
    }
    var origin = new StateOrigin(text(fields, 1), text(fields, 2), text(fields, 3));
    return new Index(origin, times, texts(fields, 5));
  }

  static String nameOf(byte[] part) {
    return HexFormat.of().toHexDigits(Xxh64.hash(part));
  }

  static byte[] write(Collection<KeptResource> resources) {
    var part = UnknownFieldSet.newBuilder();
    for (KeptResource kept : resources) {
      var fields = UnknownFieldSet.newBuilder();
      add(fields, 1, kept.key().scope());
      add(fields, 2, kept.key().type());
      add(fields, 3, kept.key().name());
      add(fields, 4, kept.server());
      add(fields, 5, kept.version());
      add(fields, 6, kept.at());
      add(fields, 7, kept.resource().typeUrl());
      fields.mergeLengthDelimitedField(8, ByteString.copyFrom(kept.resource().bytes()));
      part.mergeLengthDelimitedField(1, fields.build().toByteString());
    }
    return part.build().toByteArray();
  }

  static List<KeptResource> readPart(String name, byte[] file) throws IOException {
    if (!nameOf(file).equals(name)) {
      throw new Damaged("is damaged: the checksum of " + name + " is wrong");
    }
    List<KeptResource> resources = new ArrayList<>();
    for (ByteString each : UnknownFieldSet.parseFrom(file).getField(1).getLengthDelimitedList()) {
      UnknownFieldSet fields = UnknownFieldSet.parseFrom(each);
      long millis = fields.getField(6).getVarintList().stream().findFirst().orElse(0L);
      resources.add(
          new KeptResource(
              new KeptResource.Key(text(fields, 1), text(fields, 2), text(fields, 3)),
              text(fields, 4),
              text(fields, 5),
              Instant.ofEpochMilli(millis),
              RawResource.held(
                  text(fields, 7),
                  ByteString.copyFrom(fields.getField(8).getLengthDelimitedList()).toByteArray())));
    }
    return resources;
  }

  private static void add(UnknownFieldSet.Builder fields, int field, String text) {
    fields.mergeLengthDelimitedField(field, ByteString.copyFromUtf8(text));
  }

  private static void add(UnknownFieldSet.Builder fields, int field, Instant time) {
    var millis = UnknownFieldSet.Field.newBuilder().addVarint(time.toEpochMilli());
    fields.mergeField(field, millis.build());
  }

  private static List<String> texts(UnknownFieldSet fields, int field) {
    return fields.getField(field).getLengthDelimitedList().stream()
        .map(ByteString::toStringUtf8)
        .toList();
  }

  private static String text(UnknownFieldSet fields, int field) {
    return String.join("", texts(fields, field));
  }
}
