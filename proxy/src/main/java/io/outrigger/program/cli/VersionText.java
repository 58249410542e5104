package io.outrigger.program.cli;

import io.outrigger.program.options.ProgramVersion;
import picocli.CommandLine.IVersionProvider;

/** Renders the text of {@code --version}. */
final class VersionText implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {
      "outrigger " + ProgramVersion.text() + " (Java " + Runtime.version().feature() + ")"
    };
  }
}
