package io.outrigger.xds.cache;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceWatcher;
import java.util.Optional;

/** The notification of watchers about a transition. */
public sealed interface Notice<T> {
  void deliverTo(ResourceWatcher<T> watcher);

  record Silence<T>() implements Notice<T> {
    @Override
    public void deliverTo(ResourceWatcher<T> watcher) {}
  }

  /**
   * The resource changed or is no longer available.
   *
   * @param ambient the ambient error that continues after the change, if any
   */
  record Changed<T>(Outcome<T> resource, Optional<RpcStatus> ambient) implements Notice<T> {
    public Changed(Outcome<T> resource) {
      this(resource, Optional.empty());
    }

    @Override
    public void deliverTo(ResourceWatcher<T> watcher) {
      watcher.onChanged(resource);
      ambient.ifPresent(watcher::onAmbientError);
    }
  }

  /** The ambient error changed; OK means that the error has ended. */
  record Ambient<T>(RpcStatus status) implements Notice<T> {
    @Override
    public void deliverTo(ResourceWatcher<T> watcher) {
      watcher.onAmbientError(status);
    }
  }
}
