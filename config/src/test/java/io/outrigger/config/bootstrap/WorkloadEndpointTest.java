package io.outrigger.config.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkloadEndpointTest {
  @Conformance("SPW-01")
  @ParameterizedTest
  @CsvSource({
    "unix:///run/spire/sockets/agent.sock, unix:///run/spire/sockets/agent.sock",
    "unix:/run/agent.sock, unix:///run/agent.sock",
    "tcp://127.0.0.1:8081, dns:///127.0.0.1:8081",
    "tcp://[::1]:8081, dns:///[::1]:8081",
  })
  void whatTheSpecificationAdmits(String uri, String target) {
    assertThat(WorkloadEndpoint.parse(uri).toOptional())
        .contains(new WorkloadEndpoint(uri, target));
  }

  @ParameterizedTest
  @CsvSource({
    "'', of another form",
    "/run/agent.sock, of another form",
    "unix://run/agent.sock, no absolute path",
    "unix:agent.sock, no absolute path",
    "unix:///, no absolute path",
    "unix:///run/agent.sock?a=b, of another form",
    "unix:///run/agent.sock#a, of another form",
    "tcp://agent:8081, no address with a port",
    "tcp://127.0.0.1, no address with a port",
    "tcp://127.0.0.1:65536, no address with a port",
    "tcp://127.0.0.1:8081/x, no address with a port",
    "tcp://me@127.0.0.1:8081, of another form",
    "http://127.0.0.1:8081, of another form",
    "unix:///run/agent sock, not a URI",
  })
  void whatItDoesNot(String uri, String reason) {
    assertThat(WorkloadEndpoint.parse(uri).status().message())
        .contains(reason)
        .contains("give unix:///path/of/the/socket or tcp://address:port");
  }
}
