package io.outrigger.program.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.outrigger.base.Exhaustion;
import io.outrigger.dataplane.memory.OutOfMemory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the log records of libraries that use java.util.logging, such as gRPC, to the program's
 * log.
 */
public final class JulHandler extends Handler {
  private final SimpleFormatter formatter = new SimpleFormatter();

  /**
   * Makes java.util.logging install this handler when a library first uses java.util.logging.
   * Creating the log manager at the start would take longer than the rest of the log setup.
   */
  static void announce() {
    System.setProperty("java.util.logging.config.class", Setup.class.getName());
  }

  /** Installs this handler as the only handler. Only warnings and errors pass. */
  public static final class Setup {
    private static final String PROPERTIES =
        "handlers = " + JulHandler.class.getName() + "\n.level = WARNING\n";

    public Setup() throws IOException {
      LogManager.getLogManager()
          .readConfiguration(new ByteArrayInputStream(PROPERTIES.getBytes(UTF_8)));
    }
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
      Throwable thrown = record.getThrown();
      if (thrown != null && Exhaustion.isOutOfMemory(thrown)) {
        OutOfMemory.onThread(thrown); // gRPC logs this error when a channel enters panic mode
      }
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
