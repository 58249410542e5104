package io.outrigger.proxy.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** {@code --version}: the one that the build wrote into the jar. */
final class VersionText implements IVersionProvider {
  private static final String IN_JAR =
      "/META-INF/maven/io.outrigger/outrigger-proxy/pom.properties";

  @Override
  public String[] getVersion() throws IOException {
    return new String[] {"outrigger " + version() + " (Java " + Runtime.version().feature() + ")"};
  }

  private static String version() throws IOException {
    try (InputStream in = VersionText.class.getResourceAsStream(IN_JAR)) {
      if (in == null) {
        return "development"; // run from classes, not from the distribution
      }
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("version", "development");
    }
  }
}
