<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * The same call fails again until an operator or a developer changes something.
 */
interface Permanent extends HeadroomException {}
