package io.outrigger.dataplane.tls;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Parses a ClientHello of a client or of this process. The JVM chooses the key-agreement groups of
 * its ClientHello; before Java 20, no method returns them.
 */
final class ClientHello {
  private static final int SUPPORTED_GROUPS = 10;
  private static final int ALPN = 16;

  /** The number of bytes of record header and message header (RFC 8446 sections 4 and 5.1). */
  private static final int HEADER_BYTES = 5 + 4;

  /** The number of bytes of the fields version and random (RFC 8446 section 4.1.2). */
  private static final int FIXED_BYTES = 2 + 32;

  /** The names of key-agreement groups in IANA's registry "TLS Supported Groups". */
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
    skip(in, HEADER_BYTES);
    ByteBuffer ids = extension(in, SUPPORTED_GROUPS);
    skip(ids, Math.min(2, ids.remaining())); // the length of the list
    List<String> groups = new ArrayList<>();
    while (ids.hasRemaining()) {
      groups.add(name(ids.getShort() & 0xffff));
    }
    return groups;
  }

  /**
   * The protocols that the ClientHello offers by ALPN (RFC 7301 section 3.1); empty without that
   * extension.
   *
   * @param hello a complete ClientHello without the record header and the message header
   * @throws RuntimeException if the ClientHello is malformed
   */
  static List<String> protocols(ByteBuffer hello) {
    ByteBuffer names = extension(hello.duplicate(), ALPN);
    skip(names, Math.min(2, names.remaining())); // the length of the list
    List<String> protocols = new ArrayList<>();
    while (names.hasRemaining()) {
      byte[] name = new byte[names.get() & 0xff];
      names.get(name);
      protocols.add(new String(name, StandardCharsets.US_ASCII));
    }
    return protocols;
  }

  /** Returns the content of an extension; empty if the ClientHello does not have it. */
  private static ByteBuffer extension(ByteBuffer in, int wanted) {
    skip(in, FIXED_BYTES);
    skip(in, in.get() & 0xff); // the session ID
    skip(in, in.getShort() & 0xffff); // the cipher suites
    skip(in, in.get() & 0xff); // the compression methods
    skip(in, Math.min(2, in.remaining())); // the length of all extensions
    while (in.hasRemaining()) {
      int type = in.getShort() & 0xffff;
      int length = in.getShort() & 0xffff;
      if (type == wanted) {
        return in.slice(in.position(), length);
      }
      skip(in, length);
    }
    return in;
  }

  private static void skip(ByteBuffer in, int bytes) {
    in.position(in.position() + bytes);
  }

  private static String name(int id) {
    return GROUPS.getOrDefault(id, String.format(Locale.ROOT, "0x%04x", id));
  }
}
