package io.outrigger.observe.admin;

import io.outrigger.base.AnyThread;
import io.outrigger.base.PlainText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * Writes the text of a JSON document in UTF-8. Characters that {@linkplain PlainText#steers can
 * control a terminal} are written as JSON escapes. ASCII is copied without an encoder, which halves
 * the time of a long document. Used by one thread at a time.
 */
@AnyThread
final class PlainJsonWriter extends Writer {
  private final OutputStream out;
  private final byte[] buffer = new byte[8 * 1024];
  private int length;

  PlainJsonWriter(OutputStream out) {
    this.out = out;
  }

  @Override
  public void write(int c) throws IOException {
    if (length == buffer.length) {
      flush();
    }
    buffer[length++] = (byte) c; // single characters are those of JSON's structure
  }

  @Override
  public void write(char[] text, int offset, int count) throws IOException {
    write(new String(text, offset, count), 0, count);
  }

  @Override
  public void write(String text, int offset, int count) throws IOException {
    if (count > buffer.length - length) {
      flush();
    }
    int start = length;
    for (int i = offset; i < offset + count; i++) {
      char c = text.charAt(i);
      if (c >= 0x7F || length == buffer.length) {
        length = start;
        flush();
        out.write(
            PlainText.ofJson(text.substring(offset, offset + count))
                .getBytes(StandardCharsets.UTF_8));
        return;
      }
      buffer[length++] = (byte) c;
    }
  }

  @Override
  public void flush() throws IOException {
    out.write(buffer, 0, length);
    length = 0;
  }

  @Override
  public void close() throws IOException {
    flush();
  }
}
