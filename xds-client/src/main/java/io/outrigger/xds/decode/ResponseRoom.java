package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import java.io.IOException;

/**
 * Limits the number of fields of a message, because a field may take far more heap than bytes on
 * the wire: an empty message takes two bytes on the wire, and a hundred times as much of the heap.
 */
public final class ResponseRoom {
  /**
   * The estimated heap that a field takes while a new resource replaces an old one. An endpoint has
   * about 11 fields, and a route 15.
   */
  private static final int FIELD_BYTES = 150;

  private static final long MAX = Runtime.getRuntime().maxMemory() / FIELD_BYTES;

  /** The depth of messages that protobuf reads. */
  private static final int MAX_DEPTH = 100;

  /** In a packed list, this number of bytes counts as one field, since it needs as much heap. */
  private static final int PACKED_BYTES = 16;

  private ResponseRoom() {}

  /** Thrown when a message has more fields than fit into the heap. */
  public static final class TooLarge extends InvalidProtocolBufferException {
    private static final long serialVersionUID = 1L;

    private TooLarge() {
      super(
          ("has more than %d fields, which do not fit into the heap of %d MiB; raise the memory"
                  + " limit of the container, or -Xmx")
              .formatted(MAX, Runtime.getRuntime().maxMemory() / (1 << 20)));
    }
  }

  /** Whether a message of this size fits into the heap, however many fields it has. */
  public static boolean admits(long bytes) {
    return bytes / 2 <= MAX;
  }

  /** Counts the fields of a response; each of its resources counts as one field. */
  public static void requireResponse(CodedInputStream response) throws TooLarge {
    require(response, DiscoveryResponse.RESOURCES_FIELD_NUMBER);
  }

  /**
   * Counts the fields of a message, and of the messages inside it, before the message is parsed.
   * The wire format does not distinguish strings from messages, so strings are searched, too.
   *
   * @param unparsed the path to messages that are never parsed whole, so their fields do not count
   */
  static void require(ByteString message, int... unparsed) throws TooLarge {
    if (!admits(message.size())) {
      require(message.newCodedInput(), unparsed);
    }
  }

  private static void require(CodedInputStream in, int... unparsed) throws TooLarge {
    if (left(MAX, in, MAX_DEPTH, unparsed, 0) < 0) {
      throw new TooLarge();
    }
  }

  /**
   * Returns {@code max} minus the number of fields; negative if there are too many fields.
   *
   * @param depth the maximum nesting of the messages that are searched
   * @param index the index of the path's next field in {@code unparsed}; the length of {@code
   *     unparsed} if the path does not lead through this message
   */
  private static long left(long max, CodedInputStream in, int depth, int[] unparsed, int index) {
    long left = max;
    try {
      for (int tag = in.readTag(); tag != 0 && --left >= 0; tag = in.readTag()) {
        int type = WireFormat.getTagWireType(tag);
        if (type == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
          boolean isOnPath =
              index < unparsed.length && WireFormat.getTagFieldNumber(tag) == unparsed[index];
          boolean isUnparsed = isOnPath && index == unparsed.length - 1;
          int outer = in.pushLimit(in.readRawVarint32());
          if (depth > 0 && !isUnparsed) {
            left = left(left, in, depth - 1, unparsed, isOnPath ? index + 1 : unparsed.length);
          }
          left -= isUnparsed ? 0 : in.getBytesUntilLimit() / PACKED_BYTES;
          in.skipRawBytes(in.getBytesUntilLimit());
          in.popLimit(outer);
        } else if (type != WireFormat.WIRETYPE_START_GROUP
            && type != WireFormat.WIRETYPE_END_GROUP) {
          in.skipField(tag);
        }
      }
    } catch (IOException text) {
      // Fields before an unreadable field count, because the parser creates objects for them.
    }
    return left;
  }
}
