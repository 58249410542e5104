package io.outrigger.program.cli;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.outrigger.program.options.ProxyOptions.Logging;

/** The log setup of tests: warnings on stderr. Logback finds this class as a service. */
public final class QuietLogging extends ContextAwareBase implements Configurator {
  @Override
  public ExecutionStatus configure(LoggerContext context) {
    LogSetup.apply(context, new Logging(Logging.Level.WARN, Logging.Format.TEXT));
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }
}
