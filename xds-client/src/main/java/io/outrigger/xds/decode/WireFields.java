package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads fields of a serialized message without parsing the message.
 *
 * <p>WireFields is used instead of the map fields of generated messages. Reading such a map field,
 * or only checking for an empty map, builds the descriptors of its file and of all imported files.
 * Building the descriptors takes long, and they stay in memory. Most resources are decoded without
 * these descriptors, so this class reads the maps from the bytes (decision xds-0074).
 */
final class WireFields {
  private static final int KEY = 1;
  private static final int VALUE = 2;

  private WireFields() {}

  /**
   * Whether the message has a field at {@code path}. The path is the number of a field of the
   * message, then of a field of the inner message, and so on. In a list, every element is searched.
   * Returns true for bytes that are not readable, because the parser reports that error later.
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
   * A message and the contents of one field that was removed from it.
   *
   * @param rest the message without the field
   * @param parts the contents of the field; each key consists of the list indexes of the enclosing
   *     messages, outermost first. Two occurrences in one message are merged
   */
  record Cut(ByteString rest, Map<List<Integer>, ByteString> parts) {}

  /**
   * Removes the field at {@code path} from each message that contains the field. The path has the
   * form of the path of {@link #contain}. Bytes that are not readable stay unchanged.
   */
  static Cut cut(ByteString message, int... path) {
    if (contain(message, path)) {
      Map<List<Integer>, ByteString> parts = new HashMap<>();
      try {
        UnknownFieldSet rest = cut(UnknownFieldSet.parseFrom(message), path, List.of(), parts);
        return new Cut(rest.toByteString(), parts);
      } catch (InvalidProtocolBufferException e) {
        return new Cut(message, Map.of()); // parsing reports the error later
      }
    }
    return new Cut(message, Map.of());
  }

  private static UnknownFieldSet cut(
      UnknownFieldSet message,
      int[] path,
      List<Integer> place,
      Map<List<Integer>, ByteString> parts)
      throws InvalidProtocolBufferException {
    int number = path[place.size()];
    List<ByteString> found = message.getField(number).getLengthDelimitedList();
    var rest = message.toBuilder().clearField(number);
    if (place.size() == path.length - 1) {
      found.forEach(part -> parts.merge(place, part, ByteString::concat));
      return rest.build();
    }
    var inner = UnknownFieldSet.Field.newBuilder();
    int index = 0;
    for (ByteString each : found) {
      List<Integer> here = new ArrayList<>(place);
      here.add(index++);
      inner.addLengthDelimited(
          cut(UnknownFieldSet.parseFrom(each), path, here, parts).toByteString());
    }
    return rest.addField(number, inner.build()).build();
  }

  /**
   * Reads the map of messages in field {@code number}: the serialized messages by key. If a key
   * occurs twice, the last entry is used.
   */
  static Map<String, ByteString> entries(ByteString message, int number)
      throws InvalidProtocolBufferException {
    Map<String, ByteString> entries = new LinkedHashMap<>();
    for (ByteString entry : values(message, number)) {
      List<ByteString> keys = values(entry, KEY);
      ByteString key = keys.isEmpty() ? ByteString.EMPTY : keys.get(keys.size() - 1);
      if (!key.isValidUtf8()) {
        throw new InvalidProtocolBufferException("the key of a map is not UTF-8");
      }
      // repeated values of one entry are merged
      entries.put(key.toStringUtf8(), ByteString.copyFrom(values(entry, VALUE)));
    }
    return entries;
  }

  private static List<ByteString> values(ByteString message, int number)
      throws InvalidProtocolBufferException {
    return UnknownFieldSet.parseFrom(message).getField(number).getLengthDelimitedList();
  }
}
