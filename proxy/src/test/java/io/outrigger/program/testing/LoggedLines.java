package io.outrigger.program.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** The lines that one class logs during a test, from INFO on. */
public final class LoggedLines implements BeforeEachCallback, AfterEachCallback {
  private final Logger logger;
  private final ListAppender<ILoggingEvent> events = new ListAppender<>();

  public LoggedLines(Class<?> type) {
    logger = (Logger) LoggerFactory.getLogger(type);
  }

  /** Returns the lines as {@code LEVEL message}. */
  public List<String> list() {
    return events.list.stream()
        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
        .toList();
  }

  @Override
  public void beforeEach(ExtensionContext test) {
    events.start();
    logger.addAppender(events);
    logger.setLevel(Level.INFO);
  }

  @Override
  public void afterEach(ExtensionContext test) {
    logger.detachAppender(events);
    logger.setLevel(null);
  }
}
