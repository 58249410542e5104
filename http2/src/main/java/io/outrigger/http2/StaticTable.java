package io.outrigger.http2;

import java.nio.charset.StandardCharsets;

/** The names and values of HPACK's static table (RFC 7541 appendix A). Indexes start at 1. */
final class StaticTable {
  static final int SIZE = 61;

  private static final String[] NAMES_AND_VALUES = {
    ":authority", "",
    ":method", "GET",
    ":method", "POST",
    ":path", "/",
    ":path", "/index.html",
    ":scheme", "http",
    ":scheme", "https",
    ":status", "200",
    ":status", "204",
    ":status", "206",
    ":status", "304",
    ":status", "400",
    ":status", "404",
    ":status", "500",
    "accept-charset", "",
    "accept-encoding", "gzip, deflate",
    "accept-language", "",
    "accept-ranges", "",
    "accept", "",
    "access-control-allow-origin", "",
    "age", "",
    "allow", "",
    "authorization", "",
    "cache-control", "",
    "content-disposition", "",
    "content-encoding", "",
    "content-language", "",
    "content-length", "",
    "content-location", "",
    "content-range", "",
    "content-type", "",
    "cookie", "",
    "date", "",
    "etag", "",
    "expect", "",
    "expires", "",
    "from", "",
    "host", "",
    "if-match", "",
    "if-modified-since", "",
    "if-none-match", "",
    "if-range", "",
    "if-unmodified-since", "",
    "last-modified", "",
    "link", "",
    "location", "",
    "max-forwards", "",
    "proxy-authenticate", "",
    "proxy-authorization", "",
    "range", "",
    "referer", "",
    "refresh", "",
    "retry-after", "",
    "server", "",
    "set-cookie", "",
    "strict-transport-security", "",
    "transfer-encoding", "",
    "user-agent", "",
    "vary", "",
    "via", "",
    "www-authenticate", "",
  };

  private static final byte[][] VALUES = new byte[SIZE + 1][];

  static {
    for (int index = 1; index <= SIZE; index++) {
      VALUES[index] = NAMES_AND_VALUES[2 * index - 1].getBytes(StandardCharsets.US_ASCII);
    }
  }

  private StaticTable() {}

  static String name(int index) {
    return NAMES_AND_VALUES[2 * (index - 1)];
  }

  /** The bytes of a value; callers do not change the array. */
  static byte[] value(int index) {
    return VALUES[index];
  }

  static int firstIndexOf(String name) {
    for (int index = 1; index <= SIZE; index++) {
      if (name(index).equals(name)) {
        return index;
      }
    }
    return 0;
  }
}
