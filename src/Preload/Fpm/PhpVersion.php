<?php

declare(strict_types=1);

namespace Headroom\Preload\Fpm;

/**
 * Of the PHP that preloads, which need not be that of the command line.
 *
 * @internal
 */
final readonly class PhpVersion
{
    /** @param int $id PHP_VERSION_ID */
    public function __construct(public string $text, public int $id) {}
}
