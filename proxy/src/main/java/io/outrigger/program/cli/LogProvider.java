package io.outrigger.program.cli;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LogbackServiceProvider;
import io.outrigger.program.options.ProxyOptions.Logging;

/**
 * Sets up Logback for the program: warnings on stderr until {@link LogSetup} applies the flags.
 * {@link Main} names this class, because the search for providers, configurators and their files
 * opens every jar of the class path and noticeably slows the start.
 */
public final class LogProvider extends LogbackServiceProvider {
  @Override
  public void initialize() {
    LoggerContext context = (LoggerContext) getLoggerFactory();
    context.setName("default");
    context.setMDCAdapter(getMDCAdapter());
    LogSetup.apply(context, new Logging(Logging.Level.WARN, Logging.Format.TEXT));
    context.start();
  }
}
