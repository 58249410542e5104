package io.outrigger.lb.testing;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.subchannel.ManagedSubchannel;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.ScriptedRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The node above a policy under test: records what it publishes, and gives it real subchannels over
 * a {@link FakeConnector}.
 */
public final class FakeParent implements LbParent {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final FakeConnector connector = new FakeConnector();
  private final ScriptedRandom random = new ScriptedRandom(1);
  private final List<Connectivity> states = new ArrayList<>();
  private int subchannels;
  private int reresolutions;
  private @Nullable Picker picker;

  public FakeControlLoop loop() {
    return loop;
  }

  public FakeConnector connector() {
    return connector;
  }

  public ScriptedRandom random() {
    return random;
  }

  /** Returns a context with this loop and these random numbers, without an observer. */
  public LbContext context(int loops) {
    return context(event -> {}, loops);
  }

  public LbContext context(LbObserver observer, int loops) {
    return new LbContext(loop, random, observer, loops, false);
  }

  @Override
  public Subchannel newSubchannel(
      Backend backend, EndpointAddress address, Subchannel.Listener listener) {
    subchannels++;
    return new ManagedSubchannel(loop, connector, random, backend, address, listener);
  }

  @Override
  public void publish(Connectivity state, Picker next) {
    loop.checkInside();
    states.add(state);
    picker = next;
  }

  @Override
  public void requestReresolution() {
    reresolutions++;
  }

  /** Every state that was published, in order. */
  public List<Connectivity> states() {
    return List.copyOf(states);
  }

  /** The state in force. */
  public Connectivity state() {
    return states.get(states.size() - 1);
  }

  /** The picker in force. */
  public Picker picker() {
    if (picker == null) {
      throw new AssertionError("nothing was published");
    }
    return picker;
  }

  /** How many subchannels were ever asked for. */
  public int subchannels() {
    return subchannels;
  }

  public int reresolutions() {
    return reresolutions;
  }

  /** What the picker in force answers; the loop runs afterwards. */
  public PickResult pick() {
    PickResult result = picker().pick(TestCall.CALL);
    loop.run();
    return result;
  }

  /** The address that the picker in force chooses; the call ends well at once. */
  public String picked() {
    return picked(TestCall.CALL);
  }

  /** The address that the picker in force chooses for {@code call}, which ends well at once. */
  public String picked(PickContext call) {
    if (picker().pick(call) instanceof PickResult.Use use) {
      use.subchannel().callEnded(call, CallOutcome.SUCCESS);
      return use.subchannel().address().toString();
    }
    throw new AssertionError("no subchannel in " + state());
  }

  /** How often each address is chosen in {@code calls} picks. */
  public Map<String, Integer> shares(int calls) {
    Map<String, Integer> shares = new HashMap<>();
    for (int i = 0; i < calls; i++) {
      shares.merge(picked(), 1, Integer::sum);
    }
    return shares;
  }

  /** The message with which the picker in force fails a call. */
  public String failure() {
    if (pick() instanceof PickResult.Fail fail) {
      return fail.status().message();
    }
    throw new AssertionError("no failure in " + state());
  }

  /** The newest attempts to these addresses succeed. */
  public void ready(String... addresses) {
    for (String address : addresses) {
      loop.inside(() -> connector.last(address).ready());
    }
  }

  /** The newest attempts to these addresses fail, or their connections are lost. */
  public void end(String... addresses) {
    for (String address : addresses) {
      loop.inside(() -> connector.last(address).end("refused"));
    }
  }

  public void advance(Duration time) {
    loop.advance(time);
  }
}
