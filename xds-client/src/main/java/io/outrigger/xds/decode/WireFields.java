package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Fields of a serialized message.
 *
 * <p>For the maps of generated messages: to read one, or to ask even whether it is empty, makes the
 * descriptors of its file and of all that the file imports, which takes long and stays in memory.
 * Most resources can do without, so the bytes are asked.
 */
final class WireFields {
  private static final int KEY = 1;
  private static final int VALUE = 2;

  private WireFields() {}

  /**
   * Whether there is a field at {@code path}: the number of a field of the message, then of the
   * message in that field, and so on; any element of a list will do. True also when the bytes are
   * not readable, as whoever parses them will find.
   */
  static boolean contain(ByteString message, int... path) {
    try {
      return contain(message.newCodedInput(), path, 0);
    } catch (IOException e) {
      return true;
    }
  }

  private static boolean contain(CodedInputStream in, int[] path, int step) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      boolean found = WireFormat.getTagFieldNumber(tag) == path[step];
      if (found && step == path.length - 1) {
        return true;
      }
      if (!found || WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
        in.skipField(tag);
      } else {
        int outer = in.pushLimit(in.readRawVarint32());
        if (contain(in, path, step + 1)) {
          return true;
        }
        in.popLimit(outer);
      }
    }
    return false;
  }

  /**
   * A message that was parted.
   *
   * @param rest without the field that was asked for
   * @param parts the contents of the field, by the places of the messages around it in their lists,
   *     outermost first; what comes twice in one message is merged
   */
  record Cut(ByteString rest, Map<List<Integer>, ByteString> parts) {}

  /**
   * Takes out the field at {@code path}, as in {@link #contain}, from each message that has it.
   * What is not readable stays whole.
   */
  static Cut cut(ByteString message, int... path) {
    if (contain(message, path)) {
      Map<List<Integer>, ByteString> parts = new HashMap<>();
      try {
        return new Cut(cut(message, path, List.of(), parts), parts);
      } catch (IOException e) {
        return new Cut(message, Map.of()); // whoever parses it says why
      }
    }
    return new Cut(message, Map.of());
  }

  private static ByteString cut(
      ByteString message, int[] path, List<Integer> place, Map<List<Integer>, ByteString> parts)
      throws IOException {
    ByteString.Output rest = ByteString.newOutput(message.size());
    CodedOutputStream out = CodedOutputStream.newInstance(rest);
    CodedInputStream in = message.newCodedInput();
    int field = path[place.size()];
    boolean isLast = place.size() == path.length - 1;
    int inList = 0;
    while (!in.isAtEnd()) {
      int start = in.getTotalBytesRead();
      int tag = in.readTag();
      if (tag != tagOf(field)) {
        in.skipField(tag);
        out.writeRawBytes(message.substring(start, in.getTotalBytesRead()));
      } else if (isLast) {
        parts.merge(place, in.readBytes(), ByteString::concat);
      } else {
        List<Integer> inner = new ArrayList<>(place);
        inner.add(inList++);
        out.writeBytes(field, cut(in.readBytes(), path, inner, parts));
      }
    }
    out.flush();
    return rest.toByteString();
  }

  /**
   * The map of messages in field {@code number}: their bytes by key. Of equal keys the last counts.
   */
  static Map<String, ByteString> entries(ByteString message, int number)
      throws InvalidProtocolBufferException {
    Map<String, ByteString> entries = new LinkedHashMap<>();
    try {
      CodedInputStream in = message.newCodedInput();
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (tag == tagOf(number)) {
          addEntry(in.readBytes().newCodedInput(), entries);
        } else {
          in.skipField(tag);
        }
      }
    } catch (InvalidProtocolBufferException e) {
      throw e;
    } catch (IOException e) {
      throw new InvalidProtocolBufferException(e);
    }
    return entries;
  }

  private static void addEntry(CodedInputStream in, Map<String, ByteString> entries)
      throws IOException {
    String key = "";
    ByteString value = ByteString.EMPTY;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == tagOf(KEY)) {
        key = in.readStringRequireUtf8();
      } else if (tag == tagOf(VALUE)) {
        value = value.concat(in.readBytes()); // what comes twice is merged
      } else {
        in.skipField(tag);
      }
    }
    entries.put(key, value);
  }

  /** The tag of a field that has a length. */
  static int tagOf(int number) {
    return number << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  }
}
