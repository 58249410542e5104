package io.outrigger.program.cli;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import io.outrigger.program.options.ProxyOptions.Logging;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Sets up Logback for the program: warnings on stderr until {@link LogSetup} applies the flags.
 * {@link Main} names this class, because the search for providers, configurators and their files
 * opens every jar of the class path and noticeably slows the start.
 */
public final class LogProvider implements SLF4JServiceProvider {
  private static final String API_VERSION = "2.0.99"; // any 2.0, as SLF4J requires

  private final LoggerContext context = new LoggerContext();
  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter diagnostics = new LogbackMDCAdapter();

  @Override
  public void initialize() {
    context.setName("default");
    context.setMDCAdapter(diagnostics);
    LogSetup.apply(context, new Logging(Logging.Level.WARN, Logging.Format.TEXT));
    context.start();
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return context;
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return diagnostics;
  }

  @Override
  public String getRequestedApiVersion() {
    return API_VERSION;
  }
}
