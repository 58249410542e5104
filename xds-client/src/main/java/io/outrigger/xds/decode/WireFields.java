package io.outrigger.xds.decode;

import com.google.protobuf.Any;
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
  /** The size of a buffer for the tag and the length of a field. */
  private static final int HEADER_BYTES = 20;

  private WireFields() {}

  /**
   * Whether the message has a field at a path. The path lists the field numbers from the outermost
   * enclosing field to the field itself. If a field on the path is repeated, every element is
   * searched. Returns true for unreadable bytes, which the parser reports later.
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
   * @param parts a map with the contents of the removed fields. A key has a number for each
   *     enclosing message, outermost first: the index of the message in its repeated field
   */
  record Cut(ByteString remainder, Map<List<Integer>, List<ByteString>> parts) {
    /** Returns the content of a field that is not repeated; merges two occurrences. */
    @Nullable ByteString part(Integer... indexes) {
      List<ByteString> contents = parts.get(List.of(indexes));
      return contents == null ? null : ByteString.copyFrom(contents);
    }
  }

  /** Removes the field at a path (see {@link #contain}). */
  static Cut cut(ByteString message, int... path) throws InvalidProtocolBufferException {
    Map<List<Integer>, List<ByteString>> parts = new HashMap<>();
    try {
      return new Cut(
          contain(message, path) ? cut(message, path, List.of(), parts) : message, parts);
    } catch (IOException e) {
      throw new InvalidProtocolBufferException(e);
    }
  }

  /** Copies the bytes between the removed fields; an UnknownFieldSet would be far slower. */
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
   * Reads a map field, whose keys are strings and whose values are messages. If a key occurs twice,
   * the last entry is used, but both entries must be readable. In a map entry with two values, the
   * last value counts; no serializer writes such an entry.
   */
  static <M> Map<String, M> entries(ByteString message, int number, Parser<M> parser)
      throws InvalidProtocolBufferException {
    Map<String, M> entries = new LinkedHashMap<>();
    for (ByteString entry : cut(message, number).parts().getOrDefault(List.of(), List.of())) {
      Any read = Any.parseFrom(entry); // has the fields of an entry: a text and a message's bytes
      entries.put(read.getTypeUrl(), parser.parseFrom(read.getValue()));
    }
    return entries;
  }
}
