package io.outrigger.base;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.IntPredicate;

/**
 * Makes untrusted text safe for one line of a log or message. The result cannot begin a new line,
 * control a terminal, or change the writing direction of adjacent text.
 */
public final class PlainText {
  private PlainText() {}

  /** Replaces each run of {@linkplain #isControl control characters} by one space. */
  public static String of(String text) {
    if (text.codePoints().noneMatch(PlainText::isControl)) {
      return text;
    }
    var plain = new StringBuilder(text.length());
    boolean isReplaced = false;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      if (!isControl(c)) {
        plain.appendCodePoint(c);
      } else if (!isReplaced) {
        plain.append(' ');
      }
      isReplaced = isControl(c);
      i += Character.charCount(c);
    }
    return plain.toString();
  }

  /**
   * Escapes the characters of a JSON document that {@link #isControl} accepts, except line ends
   * between tokens. All escaped characters are in strings, so the document keeps its meaning.
   */
  public static String ofJson(String json) {
    int ascii = 0; // JSON writers have escaped control characters below 0x7F
    while (ascii < json.length() && json.charAt(ascii) < 0x7F) {
      ascii++;
    }
    if (ascii == json.length()) {
      return json;
    }
    var plain = new StringBuilder(json.length());
    for (int i = 0; i < json.length(); ) {
      int c = json.codePointAt(i);
      int end = i + Character.charCount(c);
      if (c >= 0x7F && isControl(c)) {
        for (char unit : json.substring(i, end).toCharArray()) {
          plain.append("\\u%04x".formatted((int) unit));
        }
      } else {
        plain.appendCodePoint(c);
      }
      i = end;
    }
    return plain.toString();
  }

  /** Returns the first {@code max} characters and an ellipsis; a shorter text is unchanged. */
  public static String shortened(String text, int max) {
    return text.length() <= max ? text : text.substring(0, max) + "…";
  }

  /** Percent-encodes, as UTF-8, each character for which {@code isKept} is false. */
  public static String percentEncoded(String text, IntPredicate isKept) {
    int kept = 0;
    while (kept < text.length() && isKept.test(text.charAt(kept))) {
      kept++;
    }
    if (kept == text.length()) {
      return text;
    }
    var out = new StringBuilder(text.length() + 16);
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (isKept.test(b)) {
        out.append((char) b);
      } else {
        out.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
      }
    }
    return out.toString();
  }

  /** Returns a text whose URLs are without user and password. */
  public static String withoutUser(String text) {
    return text.replaceAll("//[^/@]*@", "//");
  }

  public static boolean isPrintableAscii(int character) {
    return character >= ' ' && character <= '~';
  }

  /**
   * Whether a character is a control character (C0, DEL, C1), a line or paragraph separator, or a
   * Unicode format character (Cf). Format characters may change how adjacent characters are shown.
   */
  public static boolean isControl(int codePoint) {
    if (codePoint < 0x7F) {
      return codePoint < ' ';
    }
    int type = Character.getType(codePoint);
    return type == Character.CONTROL
        || type == Character.FORMAT
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR;
  }
}
