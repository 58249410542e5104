package io.outrigger.program.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import io.outrigger.base.PlainText;
import java.nio.charset.Charset;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/**
 * Formats log events as text: {@code 2026-11-21T12:30:53.007Z INFO ProxyApp: message}, with the
 * stack trace if there is one. Logback's patterns are not used, because their parser noticeably
 * slows the start.
 */
final class LineEncoder extends EncoderBase<ILoggingEvent> {
  private static final DateTimeFormatter MILLIS =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter();
  private static final int LEVEL_WIDTH = 5;

  @Override
  public byte[] headerBytes() {
    return new byte[0];
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    String level = event.getLevel().toString();
    String logger = event.getLoggerName();
    var line = new StringBuilder();
    MILLIS.formatTo(Instant.ofEpochMilli(event.getTimeStamp()), line);
    line.append(' ').append(level);
    line.append(" ".repeat(Math.max(0, LEVEL_WIDTH - level.length())));
    line.append(' ').append(logger, logger.lastIndexOf('.') + 1, logger.length()).append(": ");
    line.append(PlainText.of(event.getFormattedMessage()));
    line.append(System.lineSeparator());
    if (event.getThrowableProxy() != null) {
      line.append(ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    return line.toString().getBytes(Charset.defaultCharset());
  }

  @Override
  public byte[] footerBytes() {
    return new byte[0];
  }
}
