<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * The same call may succeed later: nothing about what was asked is wrong.
 */
interface Retryable extends HeadroomException {}
