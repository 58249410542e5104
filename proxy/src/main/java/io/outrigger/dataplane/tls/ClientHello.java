package io.outrigger.dataplane.tls;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Parses the ClientHello that one of the proxy's own engines has produced. The JVM chooses the
 * groups to offer, and before Java 20 no method returns them.
 */
final class ClientHello {
  private static final int SUPPORTED_GROUPS = 10;

  /**
   * The total length of record header, message header, version and random (RFC 8446 sections 4.1.2
   * and 5.1).
   */
  private static final int FIXED_BYTES = 5 + 4 + 2 + 32;

  /** The names in IANA's registry of supported groups. */
  private static final Map<Integer, String> GROUPS =
      Map.ofEntries(
          Map.entry(23, "secp256r1"),
          Map.entry(24, "secp384r1"),
          Map.entry(25, "secp521r1"),
          Map.entry(29, "x25519"),
          Map.entry(30, "x448"),
          Map.entry(256, "ffdhe2048"),
          Map.entry(257, "ffdhe3072"),
          Map.entry(258, "ffdhe4096"),
          Map.entry(259, "ffdhe6144"),
          Map.entry(260, "ffdhe8192"),
          Map.entry(4587, "SecP256r1MLKEM768"),
          Map.entry(4588, "X25519MLKEM768"),
          Map.entry(4589, "SecP384r1MLKEM1024"));

  private ClientHello() {}

  /**
   * The groups that the ClientHello offers for key agreement, in order of preference.
   *
   * @param record a TLS record with a complete ClientHello
   */
  static List<String> groups(ByteBuffer record) {
    ByteBuffer in = record.duplicate();
    skip(in, FIXED_BYTES);
    skip(in, in.get() & 0xff); // session
    skip(in, in.getShort() & 0xffff); // cipher suites
    skip(in, in.get() & 0xff); // compression
    in.getShort();
    List<String> groups = new ArrayList<>();
    while (in.hasRemaining()) {
      int type = in.getShort() & 0xffff;
      int length = in.getShort() & 0xffff;
      if (type == SUPPORTED_GROUPS) {
        for (ByteBuffer ids = in.slice(in.position() + 2, length - 2); ids.hasRemaining(); ) {
          groups.add(name(ids.getShort() & 0xffff));
        }
      }
      skip(in, length);
    }
    return groups;
  }

  private static void skip(ByteBuffer in, int bytes) {
    in.position(in.position() + bytes);
  }

  private static String name(int id) {
    return GROUPS.getOrDefault(id, String.format(Locale.ROOT, "0x%04x", id));
  }
}
