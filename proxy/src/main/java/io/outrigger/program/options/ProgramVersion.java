package io.outrigger.program.options;

import io.outrigger.base.AnyThread;

/** The version of this program, which the build writes into the jar. */
@AnyThread
public final class ProgramVersion {
  private static final String DEVELOPMENT = "development"; // the program runs from class files

  private ProgramVersion() {}

  /** Returns a version such as {@code 0.1.0}. */
  public static String text() {
    String version = ProgramVersion.class.getPackage().getImplementationVersion();
    return version == null ? DEVELOPMENT : version;
  }
}
