package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;

/**
 * Looks for fields in a serialized message.
 *
 * <p>For the maps of generated messages: to ask one of them even whether it is empty makes the
 * descriptors of its file and of all that the file imports, which takes long and stays in memory.
 * Few resources use those maps, so the bytes are asked first.
 */
final class WireFields {
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
}
