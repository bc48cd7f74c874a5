<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * The same call may succeed later without any change.
 */
interface Retryable extends HeadroomException {}
