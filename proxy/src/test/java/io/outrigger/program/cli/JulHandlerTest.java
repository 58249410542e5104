package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.ChildJvm;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** In a process of its own, since a JVM sets java.util.logging up once. */
class JulHandlerTest {
  /** A library that logs that way, in a program that has announced our handler. */
  static final class Library {
    public static void main(String[] args) {
      JulHandler.announce();
      Logger.getLogger("lib.Channel").info("nobody needs to know");
      Logger.getLogger("lib.Channel").warning("mind the gap");
    }
  }

  @Test
  void aWarningOfALibraryIsALineOfTheLog() throws Exception {
    String output = ChildJvm.run(Library.class, "-Xshare:auto", "-XX:TieredStopAtLevel=1");

    assertThat(output.lines()).singleElement().asString().endsWith("WARN  Channel: mind the gap");
  }
}
