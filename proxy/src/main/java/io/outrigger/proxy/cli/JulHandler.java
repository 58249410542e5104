package io.outrigger.proxy.cli;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings what libraries log by java.util.logging, such as gRPC, into the one log. */
final class JulHandler extends Handler {
  private final SimpleFormatter formatter = new SimpleFormatter();

  private JulHandler() {}

  /** Replaces all handlers; only warnings get through, as for other libraries. */
  static void install() {
    LogManager.getLogManager().reset();
    java.util.logging.Logger root = java.util.logging.Logger.getLogger("");
    root.setLevel(Level.WARNING);
    root.addHandler(new JulHandler());
  }

  @Override
  public void publish(@Nullable LogRecord record) {
    if (record == null) {
      return;
    }
    String name = record.getLoggerName();
    Logger logger = LoggerFactory.getLogger(name == null || name.isEmpty() ? "jul" : name);
    String message = formatter.formatMessage(record);
    if (record.getLevel().intValue() >= Level.SEVERE.intValue()) {
      logger.error(message, record.getThrown());
    } else {
      logger.warn(message, record.getThrown());
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
