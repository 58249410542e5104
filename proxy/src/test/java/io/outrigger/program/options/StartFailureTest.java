package io.outrigger.program.options;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.UnresolvedAddressException;
import org.junit.jupiter.api.Test;

final class StartFailureTest {
  @Test
  void anUnknownHostIsSaidInWords() {
    var cause =
        new IOException("cannot listen on a.invalid:1: null", new UnresolvedAddressException());

    assertThat(StartFailure.cannotBind("--admin a.invalid:1", cause))
        .hasMessage(
            "--admin a.invalid:1: the name of the host cannot be resolved; stop what listens there or"
                + " choose another address");
  }
}
