<?php

declare(strict_types=1);

namespace Headroom\Doctor\Application;

use Headroom\Doctor\Evidence;

/**
 * What the PHP of the command line adds to the configuration: queue workers run in it, and so does the doctor.
 *
 * @internal
 */
final readonly class CommandLinePhp
{
    /** @param ?string $phpredis version of the extension; null where it is not loaded */
    public function __construct(public float $socketTimeout, public ?string $phpredis) {}

    public static function ofThisProcess(): self
    {
        $version = phpversion('redis');

        return new self((float) ini_get('default_socket_timeout'), $version === false ? null : $version);
    }

    public function evidence(): Evidence
    {
        return new Evidence('default_socket_timeout', (string) $this->socketTimeout, 'php.ini of the command line');
    }
}
