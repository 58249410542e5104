package io.outrigger.program.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.outrigger.base.AnyThread;
import io.outrigger.observe.admin.AdminReply;
import io.outrigger.observe.admin.AdminRequest;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * {@code /loggers}: lists the levels of all loggers; {@code POST} sets the level of one logger. A
 * {@code POST} also works for a class that has not been used and so has no logger yet. Logback
 * never frees a logger, so requests can create at most {@link #MAX_CREATED} loggers.
 */
@AnyThread
final class LoggerLevels {
  static final int MAX_CREATED = 100;

  private static final String PREFIX = "/loggers/";

  /** The pattern of a logger name. Logback creates one logger per part of the name. */
  private static final Pattern NAME = Pattern.compile("\\w+([.$]\\w+){0,15}");

  private static final int MAX_NAME_LENGTH = 200;

  private final LoggerContext context;
  private final AtomicInteger created = new AtomicInteger();

  LoggerLevels(LoggerContext context) {
    this.context = context;
  }

  AdminReply reply() {
    Map<String, String> levels = new TreeMap<>();
    for (Logger logger : context.getLoggerList()) {
      levels.put(logger.getName(), logger.getEffectiveLevel().toString());
    }
    return AdminReply.json(200, levels);
  }

  /** Sets a level; replies with all levels, or with 400 and the reason. */
  AdminReply set(AdminRequest request) {
    String name = request.path().substring(PREFIX.length());
    Level level =
        Level.toLevel(request.parameter("level").orElse("").toUpperCase(Locale.ROOT), null);
    if (level == null || name.isEmpty()) {
      return AdminReply.text(
          400,
          "write it as POST /loggers/NAME?level=DEBUG; a level is OFF, ERROR, WARN, INFO, DEBUG,"
              + " TRACE or ALL");
    }
    List<Logger> known =
        context.exists(name) != null
            ? List.of(context.getLogger(name))
            : context.getLoggerList().stream()
                .filter(each -> each.getName().endsWith("." + name)) // the log shows only this end
                .toList();
    known.forEach(each -> each.setLevel(level));
    if (!known.isEmpty()) {
      return reply();
    }
    if (name.length() > MAX_NAME_LENGTH || !NAME.matcher(name).matches()) {
      return AdminReply.text(400, "not the name of a class or a package");
    }
    if (!name.contains(".")) {
      return AdminReply.text(
          400,
          "no logger of that name has been used; GET /loggers lists those that were, and a full"
              + " name such as io.outrigger.lb.tree.LbLog always works");
    }
    if (created.incrementAndGet() > MAX_CREATED) {
      created.set(MAX_CREATED);
      return AdminReply.text(
          400,
          "there is no logger of that name, and requests have already created "
              + MAX_CREATED
              + " loggers; GET /loggers lists all loggers");
    }
    context.getLogger(name).setLevel(level);
    return reply();
  }
}
