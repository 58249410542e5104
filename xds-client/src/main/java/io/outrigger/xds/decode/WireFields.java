package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads map fields of a serialized message, and cuts fields out of it. Map fields are not read
 * through generated messages: any access to a map field, even to an empty map, builds the
 * descriptors of its file and of all imported files. The descriptors take much time and memory, and
 * most resources are decoded without the descriptors (decision xds-0074).
 */
final class WireFields {
  private static final int KEY = 1;
  private static final int VALUE = 2;

  /** The size of a buffer for the tag and the length of a field. */
  private static final int HEADER_BYTES = 20;

  private WireFields() {}

  /**
   * Whether the message has the field at {@code path}. The path is the numbers of the enclosing
   * fields, outermost first, and of the field. If a field on the path is repeated, every element is
   * searched. Returns true for unreadable bytes, because the parser reports the error later.
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
      if (!found || !isMessage(tag)) {
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
   * @param remainder the message without the removed field
   * @param parts the removed contents by the list indexes of the enclosing messages, outermost
   *     first
   */
  record Cut(ByteString remainder, Map<List<Integer>, List<ByteString>> parts) {
    /** Returns the content of a field that is not repeated; if it occurs twice, merges both. */
    @Nullable ByteString part(Integer... indexes) {
      List<ByteString> contents = parts.get(List.of(indexes));
      return contents == null ? null : ByteString.copyFrom(contents);
    }
  }

  /** Removes the field at {@code path} (see {@link #contain}); keeps unreadable bytes as is. */
  static Cut cut(ByteString message, int... path) {
    Map<List<Integer>, List<ByteString>> parts = new HashMap<>();
    try {
      return new Cut(
          contain(message, path) ? cut(message, path, List.of(), parts) : message, parts);
    } catch (IOException e) {
      return new Cut(message, Map.of()); // parsing reports the error later
    }
  }

  /** Copies the bytes between the removed fields, because an UnknownFieldSet takes far longer. */
  private static ByteString cut(
      ByteString message,
      int[] path,
      List<Integer> indexes,
      Map<List<Integer>, List<ByteString>> parts)
      throws IOException {
    int number = path[indexes.size()];
    CodedInputStream in = message.newCodedInput();
    in.enableAliasing(true);
    ByteString.Output remainder = ByteString.newOutput(message.size());
    int copied = 0;
    int index = 0;
    int start = 0; // the start of the field that is read
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagFieldNumber(tag) == number) {
        message.substring(copied, start).writeTo(remainder);
        if (!isMessage(tag)) {
          in.skipField(tag);
        } else if (indexes.size() == path.length - 1) {
          parts.computeIfAbsent(indexes, absent -> new ArrayList<>()).add(in.readBytes());
        } else {
          List<Integer> here = new ArrayList<>(indexes);
          here.add(index++);
          CodedOutputStream out = CodedOutputStream.newInstance(remainder, HEADER_BYTES);
          out.writeBytes(number, cut(in.readBytes(), path, here, parts));
          out.flush();
        }
        copied = in.getTotalBytesRead();
      } else if (!in.skipField(tag)) {
        break;
      }
      start = in.getTotalBytesRead();
    }
    in.checkLastTagWas(0);
    message.substring(copied).writeTo(remainder);
    return remainder.toByteString();
  }

  private static boolean isMessage(int tag) {
    return WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
  }

  /**
   * Reads the map field {@code number}, whose values are messages. If a key occurs twice, the last
   * entry is used, but both entries must be readable.
   */
  static <M> Map<String, M> entries(ByteString message, int number, Parser<M> parser)
      throws InvalidProtocolBufferException {
    Map<String, M> entries = new LinkedHashMap<>();
    for (ByteString entry : values(message, number)) {
      List<ByteString> keys = values(entry, KEY);
      ByteString key = keys.isEmpty() ? ByteString.EMPTY : keys.get(keys.size() - 1);
      if (!key.isValidUtf8()) {
        throw new InvalidProtocolBufferException("the key of a map is not UTF-8");
      }
      // Repeated values of one map entry are merged.
      var value = parser.parseFrom(ByteString.copyFrom(values(entry, VALUE)));
      entries.put(key.toStringUtf8(), value);
    }
    return entries;
  }

  private static List<ByteString> values(ByteString message, int number)
      throws InvalidProtocolBufferException {
    List<ByteString> values = new ArrayList<>();
    CodedInputStream in = message.newCodedInput();
    try {
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (WireFormat.getTagFieldNumber(tag) == number && isMessage(tag)) {
          values.add(in.readBytes());
        } else if (!in.skipField(tag)) {
          break;
        }
      }
      in.checkLastTagWas(0);
    } catch (IOException e) {
      throw new InvalidProtocolBufferException(e);
    }
    return values;
  }
}
