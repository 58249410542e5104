package io.outrigger.program.cli;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.outrigger.base.PlainText;
import java.nio.charset.StandardCharsets;

/**
 * Logback's JSON encoder, with terminal control characters escaped, since people follow the log on
 * terminals.
 */
final class PlainJsonEncoder extends JsonEncoder {
  @Override
  public byte[] encode(ILoggingEvent event) {
    String line = new String(super.encode(event), StandardCharsets.UTF_8);
    return PlainText.ofJson(line).getBytes(StandardCharsets.UTF_8);
  }
}
