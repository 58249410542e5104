package io.outrigger.proxy.admin;

import com.google.gson.JsonObject;
import io.netty.buffer.ByteBuf;
import io.outrigger.base.AnyThread;
import io.outrigger.base.PlainText;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Writes JSON on one line as bytes, with next to no garbage. It puts commas and colons nowhere: its
 * user writes them with the names, as constants. One thread at a time.
 */
@AnyThread
final class JsonPieces implements AutoCloseable {
  private static final byte[] NULL = ascii("null");
  private static final byte[] HEX = ascii("0123456789abcdef");
  private static final int MAX_NUMBER = 19;

  private final PieceStream out = new PieceStream();
  private final byte[] digits = new byte[MAX_NUMBER];

  /** {@code json}, an ASCII text, as {@link #raw} takes it. */
  static byte[] ascii(String json) {
    return json.getBytes(StandardCharsets.US_ASCII);
  }

  /** Writes what is JSON already. */
  void raw(byte[] json) {
    out.write(json);
  }

  void raw(char c) {
    out.write(c);
  }

  void nullValue() {
    raw(NULL);
  }

  void bool(boolean value) {
    out.write(ascii(value ? "true" : "false"));
  }

  void number(long value) {
    if (value >= 0 && value < 10) {
      out.write('0' + (int) value);
    } else if (value < 0) {
      out.write(ascii(Long.toString(value)));
    } else {
      int start = MAX_NUMBER;
      for (long rest = value; rest != 0; rest /= 10) {
        digits[--start] = (byte) ('0' + rest % 10);
      }
      out.write(digits, start, MAX_NUMBER - start);
    }
  }

  /** A string in quotes. */
  void text(String text) {
    out.write('"');
    part(text);
    out.write('"');
  }

  /** A part of a string that the user has put in quotes. */
  void part(String text) {
    for (int i = out.writePlain(text); i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.write('\\');
        out.write(c);
      } else if (c >= ' ' && c < 0x7f) {
        out.write(c);
      } else if (c >= 0x80 && !PlainText.steers(text.codePointAt(i))) {
        i = beyondAscii(text, i) - 1;
      } else {
        escape(c);
        if (Character.isHighSurrogate(c) && Character.charCount(text.codePointAt(i)) == 2) {
          escape(text.charAt(++i));
        }
      }
    }
  }

  /** From {@code start}, which is beyond ASCII. Returns where something else begins. */
  private int beyondAscii(String text, int start) {
    int end = start;
    while (end < text.length()) {
      int c = text.codePointAt(end);
      if (c < 0x80 || PlainText.steers(c)) {
        break;
      }
      end += Character.charCount(c);
    }
    out.write(text.substring(start, end).getBytes(StandardCharsets.UTF_8));
    return end;
  }

  private void escape(char c) {
    out.write('\\');
    out.write('u');
    for (int shift = 12; shift >= 0; shift -= 4) {
      out.write(HEX[c >> shift & 0xf]);
    }
  }

  /** An object with {@code members}, at least one, left open: further ones begin with a comma. */
  void open(JsonObject members) {
    byte[] json = PlainText.ofJson(members.toString()).getBytes(StandardCharsets.UTF_8);
    out.write(json, 0, json.length - 1);
  }

  /**
   * A value made of texts, numbers, booleans, and lists and maps of these.
   *
   * @throws IllegalArgumentException for any other
   */
  void value(Object value) {
    if (value instanceof String text) {
      text(text);
    } else if (value instanceof Integer || value instanceof Long) {
      number(((Number) value).longValue());
    } else if (value instanceof Double number && Double.isFinite(number)) {
      out.write(ascii(number.toString()));
    } else if (value instanceof Boolean bool) {
      bool(bool);
    } else if (value instanceof List<?> list) {
      list(list);
    } else if (value instanceof Map<?, ?> map) {
      map(map);
    } else {
      throw new IllegalArgumentException("no JSON for " + value);
    }
  }

  private void list(List<?> list) {
    out.write('[');
    boolean isFirst = true;
    for (Object each : list) {
      if (!isFirst) {
        out.write(',');
      }
      isFirst = false;
      value(each);
    }
    out.write(']');
  }

  private void map(Map<?, ?> map) {
    out.write('{');
    boolean isFirst = true;
    for (Map.Entry<?, ?> each : map.entrySet()) {
      if (!isFirst) {
        out.write(',');
      }
      isFirst = false;
      text(String.valueOf(each.getKey()));
      out.write(':');
      value(each.getValue());
    }
    out.write('}');
  }

  /** All of it; whoever takes it releases it. */
  ByteBuf take() {
    return out.take();
  }

  /** Releases what nobody took. */
  @Override
  public void close() {
    out.close();
  }
}
