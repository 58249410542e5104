package io.outrigger.base;

/**
 * Text of others on a line of ours: it may neither begin a line of its own, nor steer a terminal,
 * nor turn what stands around it the other way.
 */
@AnyThread
public final class PlainText {
  private PlainText() {}

  /** The text with a space for each run of characters that {@linkplain #steers steer}. */
  public static String of(String text) {
    if (text.codePoints().noneMatch(PlainText::steers)) {
      return text;
    }
    var plain = new StringBuilder(text.length());
    boolean steered = false;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      if (!steers(c)) {
        plain.appendCodePoint(c);
      } else if (!steered) {
        plain.append(' ');
      }
      steered = steers(c);
      i += Character.charCount(c);
    }
    return plain.toString();
  }

  /**
   * A JSON document that says the same and {@linkplain #steers steers} nothing either: such
   * characters, which a document has within its texts alone, are written as escapes. Its line ends
   * stay.
   */
  public static String ofJson(String json) {
    if (json.codePoints().noneMatch(c -> c >= 0x7F && steers(c))) {
      return json; // what comes before is escaped by whoever writes JSON
    }
    var plain = new StringBuilder(json.length());
    for (int i = 0; i < json.length(); ) {
      int c = json.codePointAt(i);
      int end = i + Character.charCount(c);
      if (c >= 0x7F && steers(c)) {
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

  /**
   * Whether a character is a control (C0, DEL, C1), a separator of lines or paragraphs, or one of
   * Unicode's format characters (Cf), which are not seen and change how their neighbours look.
   */
  public static boolean steers(int codePoint) {
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
