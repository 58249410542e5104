package io.outrigger.config.route;

import io.outrigger.base.AnyThread;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Text as requests hold it: one character for each byte that came, so that nothing is decoded which
 * nobody reads. A control plane's text is Unicode; it is brought to this form once, when it is
 * decoded, and compared as it is.
 */
@AnyThread
public final class WireText {
  private WireText() {}

  /** The characters that {@code text} has in a request: those of its UTF-8 bytes. */
  public static String of(String text) {
    return isAscii(text)
        ? text
        : new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /**
   * What {@code wire} says to people and to regular expressions: its bytes as UTF-8; itself when
   * they are none. Allocates nothing for ASCII.
   */
  public static String read(String wire) {
    if (isAscii(wire)) {
      return wire;
    }
    var bytes = ByteBuffer.wrap(wire.getBytes(StandardCharsets.ISO_8859_1));
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException notUtf8) {
      return wire;
    }
  }

  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return false;
      }
    }
    return true;
  }
}
