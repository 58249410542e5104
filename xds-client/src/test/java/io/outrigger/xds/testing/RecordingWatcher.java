package io.outrigger.xds.testing;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceWatcher;
import java.util.ArrayList;
import java.util.List;

/**
 * Remembers what it was told, as text: {@code ok: content}, {@code failed: CODE: message}, {@code
 * ambient: CODE: message}.
 */
public final class RecordingWatcher<T> implements ResourceWatcher<T> {
  private final List<String> told = new ArrayList<>();
  private Runnable onTold = () -> {};

  /** Runs {@code action} whenever it was told something. */
  public RecordingWatcher<T> then(Runnable action) {
    onTold = action;
    return this;
  }

  /** What it was told since the last call of this method. */
  public List<String> take() {
    List<String> taken = List.copyOf(told);
    told.clear();
    return taken;
  }

  @Override
  public void onChanged(Outcome<T> resource) {
    told.add(
        resource.match(
            value -> "ok: " + TextResources.content(value), status -> "failed: " + status));
    onTold.run();
  }

  @Override
  public void onAmbientError(RpcStatus status) {
    told.add("ambient: " + status);
    onTold.run();
  }
}
