package io.outrigger.xds.state;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import io.outrigger.base.Xxh64;
import io.outrigger.xds.RawResource;
import java.io.ByteArrayOutputStream;
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
 * The content of state files: protobuf without generated classes, whose descriptors would cost
 * memory.
 *
 * <pre>
 * index = "outrigger-state 2\n" fields XXH64 of all bytes before it
 *         1 node, 2 servers, 3 fingerprint, 5 name of a part (repeated),
 *         6 name of an authority and 4 its time in milliseconds (repeated, in pairs)
 * part  = 1 resource (repeated); the name of the file is the XXH64 of its bytes
 *         1 scope, 2 type, 3 name, 4 server, 5 version, 6 time in milliseconds, 7 type URL, 8 bytes
 * </pre>
 */
final class StateFormat {
  private static final String FAMILY = "outrigger-state ";
  private static final byte[] MAGIC = (FAMILY + "2\n").getBytes(StandardCharsets.US_ASCII);
  private static final int TAG_BITS = 3;

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

  private interface Writer {
    void write(CodedOutputStream out) throws IOException;
  }

  static byte[] write(Index index) throws IOException {
    byte[] fields =
        message(
            out -> {
              out.writeString(1, index.origin().node());
              out.writeString(2, index.origin().servers());
              out.writeString(3, index.origin().fingerprint());
              for (var each : index.times().entrySet()) {
                out.writeString(6, each.getKey());
                out.writeInt64(4, each.getValue().toEpochMilli());
              }
              for (String part : index.parts()) {
                out.writeString(5, part);
              }
            });
    byte[] content = Arrays.copyOf(MAGIC, MAGIC.length + fields.length);
    System.arraycopy(fields, 0, content, MAGIC.length, fields.length);
    return ByteBuffer.allocate(content.length + Long.BYTES)
        .put(content)
        .putLong(Xxh64.hash(content))
        .array();
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
    var in = CodedInputStream.newInstance(file, MAGIC.length, end - MAGIC.length);
    String[] texts = {"", "", "", "", "", "", ""};
    Map<String, Instant> times = new HashMap<>();
    List<String> parts = new ArrayList<>();
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      int field = tag >>> TAG_BITS;
      switch (field) {
        case 1, 2, 3, 6 -> texts[field] = in.readString();
        case 4 -> times.put(texts[6], Instant.ofEpochMilli(in.readInt64()));
        case 5 -> parts.add(in.readString());
        default -> in.skipField(tag);
      }
    }
    return new Index(new StateOrigin(texts[1], texts[2], texts[3]), times, parts);
  }

  static String nameOf(byte[] part) {
    return HexFormat.of().toHexDigits(Xxh64.hash(part));
  }

  static byte[] write(Collection<KeptResource> resources) throws IOException {
    return message(
        out -> {
          for (KeptResource each : resources) {
            out.writeByteArray(1, write(each));
          }
        });
  }

  private static byte[] write(KeptResource kept) throws IOException {
    return message(
        out -> {
          out.writeString(1, kept.key().scope());
          out.writeString(2, kept.key().type());
          out.writeString(3, kept.key().name());
          out.writeString(4, kept.server());
          out.writeString(5, kept.version());
          out.writeInt64(6, kept.at().toEpochMilli());
          out.writeString(7, kept.resource().typeUrl());
          out.writeByteArray(8, kept.resource().bytes());
        });
  }

  static List<KeptResource> readPart(String name, byte[] file) throws IOException {
    if (!nameOf(file).equals(name)) {
      throw new Damaged("is damaged: the checksum of " + name + " is wrong");
    }
    List<KeptResource> resources = new ArrayList<>();
    var in = CodedInputStream.newInstance(file);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      resources.add(readResource(in.readByteArray()));
    }
    return resources;
  }

  private static KeptResource readResource(byte[] message) throws IOException {
    String[] texts = {"", "", "", "", "", "", "", ""};
    long at = 0;
    byte[] bytes = {};
    var in = CodedInputStream.newInstance(message);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      int field = tag >>> TAG_BITS;
      switch (field) {
        case 1, 2, 3, 4, 5, 7 -> texts[field] = in.readString();
        case 6 -> at = in.readInt64();
        case 8 -> bytes = in.readByteArray();
        default -> in.skipField(tag);
      }
    }
    return new KeptResource(
        new KeptResource.Key(texts[1], texts[2], texts[3]),
        texts[4],
        texts[5],
        Instant.ofEpochMilli(at),
        new RawResource(texts[7], bytes));
  }

  private static byte[] message(Writer writer) throws IOException {
    var bytes = new ByteArrayOutputStream();
    var out = CodedOutputStream.newInstance(bytes);
    writer.write(out);
    out.flush();
    return bytes.toByteArray();
  }
}
