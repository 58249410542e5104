package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.outrigger.program.testing.mesh.DefaultSettings;
import org.junit.jupiter.api.Test;

class ForwardSettingsTest {
  private static ForwardSettings limits(int requests, long bytes) {
    return DefaultSettings.forward(new AuthorityMode.OfTarget(), requests, bytes);
  }

  @Test
  void aLimitMayBeZeroButNotNegative() {
    assertThat(limits(0, 0).maxQueuedRequests()).isZero();
    assertThat(limits(0, 0).maxQueuedBytes()).isZero();
    assertThatIllegalArgumentException().isThrownBy(() -> limits(-1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> limits(0, -1));
  }
}
