package io.outrigger.program.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.UnresolvedAddressException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StartFailureTest {
  @Test
  void anUnknownHostIsAWrongFlag() {
    var cause =
        new IOException("cannot listen on a.invalid:1: null", new UnresolvedAddressException());

    assertThatThrownBy(() -> StartFailure.cannotBind("--admin a.invalid:1", cause))
        .isInstanceOf(InvalidInput.class)
        .hasMessage(
            "--admin a.invalid:1: the name of the host cannot be resolved; give an address of this"
                + " host or a name that has one");
  }

  @ParameterizedTest
  @CsvSource({
    "Address already in use, stop what listens there",
    "Permission denied, CAP_NET_BIND_SERVICE",
    "No such file or directory, create the folder",
    "the file exists and is not a socket, remove the file",
    "Cannot assign requested address, choose an address of this host",
    "Protocol not supported, choose another address",
  })
  void theRemedyFitsTheReason(String reason, String remedy) throws InvalidInput {
    StartFailure failure = StartFailure.cannotBind("--admin x:1", new IOException(reason));

    String inSentence = Character.toLowerCase(reason.charAt(0)) + reason.substring(1);
    assertThat(failure).hasMessageStartingWith("--admin x:1: " + inSentence + "; ");
    assertThat(failure).hasMessageContaining(remedy);
  }
}
