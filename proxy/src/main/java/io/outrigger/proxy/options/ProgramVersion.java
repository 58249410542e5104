package io.outrigger.proxy.options;

import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of this program: the one that the build wrote into the jar. */
@AnyThread
public final class ProgramVersion {
  private static final String IN_JAR =
      "/META-INF/maven/io.outrigger/outrigger-proxy/pom.properties";
  private static final String DEVELOPMENT = "development"; // run from classes

  private ProgramVersion() {}

  /** Such as {@code 0.1.0}. */
  public static String text() {
    try (InputStream in = ProgramVersion.class.getResourceAsStream(IN_JAR)) {
      if (in == null) {
        return DEVELOPMENT;
      }
      var properties = new Properties();
      properties.load(in);
      return properties.getProperty("version", DEVELOPMENT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
