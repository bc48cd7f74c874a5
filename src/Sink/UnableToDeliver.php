<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\HeadroomException;
use Throwable;

/**
 * A delivery failed. An implementation is also Retryable or Permanent, and the flusher decides by that.
 */
interface UnableToDeliver extends HeadroomException, Throwable {}
