package io.outrigger.config.route;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * A form of text with one character for each received byte, so that requests need no decoding.
 * Decoders of resources convert the control plane's Unicode text to {@code WireText} once.
 */
public final class WireText {
  private WireText() {}

  public static String of(String text) {
    return isAscii(text)
        ? text
        : new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /**
   * Decodes {@code wire} as UTF-8, for people and regular expressions. Returns {@code wire} itself
   * when the bytes are not valid UTF-8.
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
