package io.outrigger.program.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.outrigger.base.AnyThread;
import io.outrigger.base.DidYouMean;
import io.outrigger.observe.admin.AdminReply;
import io.outrigger.observe.admin.AdminRequest;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@code /loggers}: lists the levels of all loggers; {@code POST} sets the level of one logger. A
 * {@code POST} also works for a class or package of the program that has no logger yet.
 */
@AnyThread
record LoggerLevels(LoggerContext context) {
  private static final String PREFIX = "/loggers/";
  private static final int MAX_LENGTH = 250;
  private static final Pattern NAME = Pattern.compile("\\w++(?:\\.[\\w$]++)*+");

  AdminReply reply() {
    Map<String, String> levels = new TreeMap<>();
    for (Logger logger : context.getLoggerList()) {
      levels.put(logger.getName(), logger.getEffectiveLevel().toString());
    }
    return AdminReply.json(200, levels);
  }

  /** Sets the level of a logger; replies with all levels, or with the reason for a refusal. */
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
    if (known.isEmpty() && !isInProgram(name)) {
      List<String> names =
          context.getLoggerList().stream()
              .map(Logger::getName)
              .flatMap(each -> Stream.of(each, each.substring(each.lastIndexOf('.') + 1)))
              .toList();
      return AdminReply.text(
          404,
          "no logger, class or package has that name"
              + DidYouMean.question(name, names)
              + "; GET /loggers lists the loggers");
    }
    (known.isEmpty() ? List.of(context.getLogger(name)) : known)
        .forEach(each -> each.setLevel(level));
    return reply();
  }

  /**
   * Whether a class or package of the program has the given name. A request with an unknown name
   * must create no logger, because Logback never frees loggers.
   */
  private static boolean isInProgram(String name) {
    ClassLoader program = LoggerLevels.class.getClassLoader();
    String path = name.replace('.', '/');
    return name.length() <= MAX_LENGTH
        && NAME.matcher(name).matches()
        && (program.getResource(path + ".class") != null
            || program.getResource(path + "/") != null);
  }
}
