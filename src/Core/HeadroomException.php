<?php

declare(strict_types=1);

namespace Headroom\Core;

use Throwable;

/**
 * Every exception that this package throws on purpose. The message says what happened, the value seen, the limit and
 * the next step.
 */
interface HeadroomException extends Throwable {}
