<?php

declare(strict_types=1);

namespace Headroom\Preload\Fpm;

/**
 * The version of the PHP that preloads. The PHP of the command line may have another one.
 *
 * @internal
 */
final readonly class PhpVersion
{
    /** @param int $id PHP_VERSION_ID */
    public function __construct(public string $text, public int $id) {}
}
