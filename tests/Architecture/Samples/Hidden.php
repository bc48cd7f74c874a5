<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Samples;

/**
 * Not for users.
 *
 * @internal
 */
final readonly class Hidden {}
