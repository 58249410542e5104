package io.outrigger.program.options;

import io.outrigger.base.AnyThread;

/** The version of this program: the one that the build wrote into the jar. */
@AnyThread
public final class ProgramVersion {
  private static final String DEVELOPMENT = "development"; // run from classes

  private ProgramVersion() {}

  /** Such as {@code 0.1.0}. */
  public static String text() {
    String version = ProgramVersion.class.getPackage().getImplementationVersion();
    return version == null ? DEVELOPMENT : version;
  }
}
