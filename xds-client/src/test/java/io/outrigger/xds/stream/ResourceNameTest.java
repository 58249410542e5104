package io.outrigger.xds.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.Shape;
import io.outrigger.xds.ResourceType;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A47, xRFC TP1. */
final class ResourceNameTest {
  private static final String TYPE = "envoy.config.cluster.v3.Cluster";

  @ParameterizedTest
  @Conformance("A47-03")
  @CsvSource({
    "xdstp://a/TYPE/c,                  a,  xdstp://a/TYPE/c",
    "xdstp://a/TYPE/c/d?b=2&a=1,        a,  xdstp://a/TYPE/c/d?a=1&b=2",
    "xdstp://a/TYPE/c?a=1&b=2,          a,  xdstp://a/TYPE/c?a=1&b=2",
    "xdstp://a/TYPE/c?a-b=2&a=1,        a,  xdstp://a/TYPE/c?a=1&a-b=2",
    "xdstp://a/TYPE/c?a.b=3&a1=2&a=9,   a,  xdstp://a/TYPE/c?a=9&a.b=3&a1=2",
    "xdstp://a/TYPE/c?a=2&a=1&a,        a,  xdstp://a/TYPE/c?a&a=1&a=2",
    "xdstp://a/TYPE/c?,                 a,  xdstp://a/TYPE/c",
    "xdstp://a/TYPE/c?b=2&a=1#alt=x,    a,  xdstp://a/TYPE/c?a=1&b=2",
    "xdstp://a/TYPE/c?&b=2&&a=1&,       a,  xdstp://a/TYPE/c?a=1&b=2",
    "xdstp://a/TYPE/c?0=1&=x,           a,  xdstp://a/TYPE/c?=x&0=1",
    "xdstp:///TYPE/c,                   '', xdstp:///TYPE/c",
  })
  void newStyleNamesHaveAnAuthorityAndSortedParameters(
      String name, String authority, String canonical) {
    var read = ResourceName.of(ResourceType.CLUSTER, name.replace("TYPE", TYPE));

    assertThat(read.toOptional())
        .contains(new ResourceName(Optional.of(authority), canonical.replace("TYPE", TYPE)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"c", "a/b?z=1&a=2", "xds://a/b", "xdst", ""})
  void anyOtherNameIsTakenAsItIs(String name) {
    assertThat(ResourceName.of(ResourceType.CLUSTER, name).toOptional())
        .contains(new ResourceName(Optional.empty(), name));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "xdstp:",
        "xdstp:a",
        "xdstp:/a",
        "xdstp://",
        "xdstp://a",
        "xdstp://a/",
        "xdstp://a/c",
        "xdstp://a/envoy.config.listener.v3.Listener/c",
        "xdstp://a/envoy.config.cluster.v3.Cluster"
      })
  void whatCannotBeANameOfTheTypeIsRefused(String name) {
    var read = ResourceName.of(ResourceType.CLUSTER, name);

    assertThat(read.status().code()).isEqualTo(RpcStatus.Code.INVALID_ARGUMENT);
    assertThat(ResourceName.canonical(ResourceType.CLUSTER, name)).isEqualTo(name);
  }

  @Test
  void anyBytesAreANameOrARefusal() {
    ForeignBytes.check(
        ForeignBytes.Case.ofText(
            "name of a cluster",
            Void.class,
            bytes -> {
              String name = new String(bytes, StandardCharsets.UTF_8);
              String canonical = ResourceName.canonical(ResourceType.CLUSTER, name);
              assertThat(ResourceName.canonical(ResourceType.CLUSTER, canonical))
                  .isEqualTo(canonical);
            },
            Shape.BYTES,
            "xdstp://a/" + TYPE + "/c/d?b=2&a=1#alt=x",
            "xdstp:///" + TYPE + "/c",
            "a/b?z=1"),
        3000);
  }

  @Test
  void theCanonicalFormOfACanonicalNameIsItself() {
    String name = "xdstp://a/" + TYPE + "/c?a=1&b=2";

    assertThat(ResourceName.canonical(ResourceType.CLUSTER, name)).isEqualTo(name);
  }
}
