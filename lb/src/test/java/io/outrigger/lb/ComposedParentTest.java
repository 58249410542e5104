package io.outrigger.lb;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComposedParentTest {
  private final FakeParent parent = new FakeParent();
  private final List<Subchannel> wrapped = new ArrayList<>();
  private final ComposedParent above =
      ComposedParent.wrapping(
          parent,
          subchannel -> {
            wrapped.add(subchannel);
            return new DelegatingSubchannel(subchannel) {};
          });

  @Test
  void subchannelsAreWrappedAndTheRestIsPassedOn() {
    Subchannel made =
        above.newSubchannel(
            Samples.backend("10.0.0.1:80"), Samples.address("10.0.0.1:80"), (state, reason) -> {});
    assertThat(wrapped).hasSize(1).doesNotContain(made);

    var picker = new Picker.Fixed(Samples.QUEUE);
    parent.loop().inside(() -> above.publish(Connectivity.READY, picker));
    assertThat(parent.state()).isEqualTo(Connectivity.READY);
    assertThat(parent.picker()).isSameAs(picker);
    above.requestReresolution();
    assertThat(parent.reresolutions()).isEqualTo(1);
  }
}
