package io.outrigger.observe.admin;

import io.outrigger.base.AnyThread;
import io.outrigger.base.PlainText;
import java.io.BufferedWriter;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;

/**
 * Writes the text of a JSON document. Characters that {@linkplain PlainText#steers can control a
 * terminal} are written as JSON escapes. Used by one thread at a time.
 */
@AnyThread
final class PlainJsonWriter extends FilterWriter {
  PlainJsonWriter(OutputStream out) {
    super(new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8)));
  }

  @Override
  public void write(String text, int offset, int count) throws IOException {
    for (int i = offset; i < offset + count; i++) {
      if (text.charAt(i) >= 0x7F) {
        out.write(PlainText.ofJson(text.substring(offset, offset + count)));
        return;
      }
    }
    out.write(text, offset, count);
  }

  @Override
  public void write(char[] text, int offset, int count) throws IOException {
    write(new String(text, offset, count), 0, count);
  }
}
