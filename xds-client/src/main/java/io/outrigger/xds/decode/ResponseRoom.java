package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import java.io.IOException;

/**
 * Limits the number of fields of a message to those that seem to fit into the heap. An empty
 * message in a field takes two bytes on the wire, and a hundred times as much of the heap.
 */
public final class ResponseRoom {
  /**
   * The heap that a field takes, roughly, while a new resource replaces an old one. An endpoint has
   * about 11 fields, and a route 15.
   */
  private static final int FIELD_BYTES = 150;

  private static final long MAX = Runtime.getRuntime().maxMemory() / FIELD_BYTES;

  /** The depth of messages that protobuf reads. */
  private static final int MAX_DEPTH = 100;

  /** So many bytes of a packed list take as much of the heap as a field. */
  private static final int PACKED_BYTES = 16;

  private ResponseRoom() {}

  /** Reports more fields than fit into the heap. */
  public static final class TooLarge extends InvalidProtocolBufferException {
    private static final long serialVersionUID = 1L;

    private TooLarge() {
      super(
          ("has more than %d fields, which do not fit into the heap of %d MiB; raise the memory"
                  + " limit of the container, or -Xmx")
              .formatted(MAX, Runtime.getRuntime().maxMemory() / (1 << 20)));
    }
  }

  /** Whether so few bytes cannot have more fields than fit into the heap. */
  public static boolean admits(long bytes) {
    return bytes / 2 <= MAX;
  }

  /** Counts the fields of a response; each of its resources counts as one. */
  public static void requireResponse(CodedInputStream response) throws TooLarge {
    require(response, DiscoveryResponse.RESOURCES_FIELD_NUMBER);
  }

  /**
   * Counts the fields of a message, and of the messages inside it, before the message is parsed. A
   * text counts as a message, too.
   *
   * @param unparsed the path to messages that do not count, because they are not parsed as a whole
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
   * Returns how many of {@code max} fields are left.
   *
   * @param depth the number of messages inside of each other that are searched
   * @param step the place in the path of this message; its length for messages beside the path
   */
  private static long left(long max, CodedInputStream in, int depth, int[] unparsed, int step) {
    long left = max;
    try {
      for (int tag = in.readTag(); tag != 0 && --left >= 0; tag = in.readTag()) {
        int type = WireFormat.getTagWireType(tag);
        if (type == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
          boolean isOnPath =
              step < unparsed.length && WireFormat.getTagFieldNumber(tag) == unparsed[step];
          boolean isUnparsed = isOnPath && step == unparsed.length - 1;
          int outer = in.pushLimit(in.readRawVarint32());
          if (depth > 0 && !isUnparsed) {
            left = left(left, in, depth - 1, unparsed, isOnPath ? step + 1 : unparsed.length);
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
      // The fields before the unreadable one count: the parser builds them.
    }
    return left;
  }
}
