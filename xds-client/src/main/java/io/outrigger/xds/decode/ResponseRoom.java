package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the number of fields of a response to those that seem to fit into the heap. An empty
 * message in a field takes two bytes of the response, and a hundred times as much of the heap.
 */
public final class ResponseRoom {
  /**
   * The heap that a field takes, roughly, while a new resource replaces an old one, and a third
   * more for the rest of the program. Routes and endpoints have about eight fields.
   */
  private static final int FIELD_BYTES = 224;

  /** The depth of messages that protobuf reads. */
  static final int MAX_DEPTH = 100;

  /** Reports more fields than fit into the heap. */
  static final class TooLarge extends InvalidProtocolBufferException {
    private static final long serialVersionUID = 1L;

    private TooLarge(long max) {
      super(
          ("has more than %d fields, which do not fit into the heap of %d MiB; raise the memory"
                  + " limit of the container, or -Xmx")
              .formatted(max, Runtime.getRuntime().maxMemory() / (1 << 20)));
    }
  }

  private final long max = Runtime.getRuntime().maxMemory() / FIELD_BYTES;
  private final boolean isSmall;
  private final AtomicLong left = new AtomicLong(max);

  /** The fields of a response of few {@code bytes} are not counted. */
  ResponseRoom(long bytes) {
    isSmall = bytes / 2 <= max;
  }

  /** Whether so few bytes cannot have more fields than fit into the heap. */
  public static boolean admits(long bytes) {
    return new ResponseRoom(bytes).isSmall;
  }

  /** Counts the fields of a response, and of each {@code Any} in it, before it is parsed. */
  public static void require(ByteString response) throws InvalidProtocolBufferException {
    new ResponseRoom(response.size()).require(response, 1);
  }

  /**
   * Counts the fields of a message, and of the messages inside it. A text counts as a message, too.
   *
   * @param depth the number of messages inside of each other that are searched
   */
  void require(ByteString message, int depth) throws TooLarge {
    long before = left.get();
    if (!isSmall) {
      count(message.newCodedInput(), depth);
    }
    if (left.get() < 0) {
      left.set(before);
      throw new TooLarge(max);
    }
  }

  private void count(CodedInputStream in, int depth) {
    try {
      for (int tag = in.readTag(); tag != 0 && left.decrementAndGet() >= 0; tag = in.readTag()) {
        int type = WireFormat.getTagWireType(tag);
        if (type == WireFormat.WIRETYPE_LENGTH_DELIMITED && depth > 0) {
          int outer = in.pushLimit(in.readRawVarint32());
          count(in, depth - 1);
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
  }
}
