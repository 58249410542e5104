package io.outrigger.program.options;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of this program and the commit from which it was built, as the build stored them. */
public final class ProgramVersion {
  private static final Properties BUILD = read();

  private ProgramVersion() {}

  private static Properties read() {
    var build = new Properties();
    try (InputStream file = ProgramVersion.class.getResourceAsStream("build.properties")) {
      if (file != null) {
        build.load(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return build;
  }

  /** Returns a version such as {@code 0.3.0}. */
  public static String text() {
    return BUILD.getProperty("version", "development");
  }

  /** Returns the first digits of the commit's hash; {@code unknown} for a build without Git. */
  public static String commit() {
    return BUILD.getProperty("commit", "unknown");
  }
}
